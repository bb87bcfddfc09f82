"""A Python that service accounts reach, and small real wheels: made once a run."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fixtures.archive import build_wheel, pip_wheel
from fixtures.python import reachable_python

Wheels = Mapping[str, Sequence[Path]]


@pytest.fixture(scope="session")
def python() -> Path:
    cache = Path(tempfile.gettempdir()) / "pharos-hpc-python"
    cache.mkdir(mode=0o755, exist_ok=True)
    return reachable_python(cache)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    directory = tmp_path_factory.mktemp("wheels")
    return {name: [build_wheel(directory, name, modules=3)] for name in ("site-agent", "ssh-access")}


@pytest.fixture(scope="session")
def pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pip_wheel(tmp_path_factory.mktemp("pip"))
