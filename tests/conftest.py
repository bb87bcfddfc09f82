"""What every test may ask for."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from fixtures.sandbox import Sandbox, make_sandbox

settings.register_profile("untimed", deadline=None)  # how long an example takes is the machine's matter
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What is not run by default: the contract against a real systemd, and the lab."""
    parser.addoption("--real-systemd", action="store_true", help="run tests/contract against the real systemd too")
    parser.addoption("--lab", action="store_true", help="run tests/lab: throwaway Debian machines, as root")
    parser.addoption("--lab-page", metavar="FILE", help="write what the lab qualified into this page")


@pytest.fixture
def sandbox_dir() -> Iterator[Path]:
    """Give an empty directory that service accounts can reach (0755, below /tmp); nothing of it is left afterwards.

    A service manager that was started in it, or in a sandbox below it, ends with it.
    """
    path = Path(tempfile.mkdtemp(prefix="pharos-", dir="/tmp"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        for private in (path / "run/systemd", *path.glob("*/run/systemd")):
            Sandbox(private.parents[1]).stop()
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def sandbox(sandbox_dir: Path) -> Iterator[Sandbox]:
    """Give a sandbox root with its service manager running."""
    with make_sandbox(sandbox_dir).running() as made:
        yield made
