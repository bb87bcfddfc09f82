"""A small site, made anew for each test, and a Python that service accounts can reach, made once."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.python import reachable_python
from fixtures.sandbox import Sandbox
from fixtures.site import Site, small_site
from tests.events import parsed


@pytest.fixture(scope="session")
def python() -> Path:
    cache = Path(tempfile.gettempdir()) / "pharos-hpc-python"
    cache.mkdir(mode=0o755, exist_ok=True)
    return reachable_python(cache)


@pytest.fixture
def site(sandbox: Sandbox, python: Path, tmp_path: Path) -> Iterator[Site]:
    with small_site(sandbox, tmp_path / "central", python) as made:
        yield made
    if made.paths.step_log.exists():  # every event of every test
        parsed(made.paths.step_log.read_text().splitlines())
