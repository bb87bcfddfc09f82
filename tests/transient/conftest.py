"""A small site on the whole of a throwaway machine; never on a host that somebody uses."""

import os
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from fixtures.python import reachable_python
from fixtures.sandbox import Sandbox
from fixtures.site import Site, small_site


@attrs.frozen
class RealSite(Site):
    """A site whose root is the machine's own; the program is the single file."""

    def command(self, *words: str) -> list[str]:
        return [os.environ["PHAROS_TEST_PROGRAM"], *words]

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "SUDO_USER": "alice"}


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    assert Path("/run/host/notify").exists(), "only in a throwaway machine: test_on_systemd.py starts these tests"
    python = reachable_python(Path("/opt/python"))  # the units see a /tmp of their own
    with small_site(Sandbox(Path("/")), tmp_path_factory.mktemp("central"), python) as made:
        yield RealSite(made.sandbox, made.central, made.python)
