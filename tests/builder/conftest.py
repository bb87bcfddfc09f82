"""The single file and the archives, built once for all tests of a worker."""

from pathlib import Path

import pytest

from fixtures.metallo_wheel import build_metallo_wheel
from installer.builder import archive, downloads, release
from installer.builder.single_file import build_single_file


@pytest.fixture(scope="session")
def cache() -> Path:
    """Give the builder's own cache, so that only a first run asks the index."""
    return downloads.DEFAULT_CACHE.expanduser()


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("builder")


@pytest.fixture(scope="session")
def program(directory: Path, cache: Path) -> Path:
    """Give the single file."""
    path = directory / "pharos-hpc"
    build_single_file(path, cache)
    return path


@pytest.fixture(scope="session")
def metallo(directory: Path) -> Path:
    return build_metallo_wheel(directory / "metallo")


@pytest.fixture(scope="session", params=["wheelhouse", "index"])
def order(request: pytest.FixtureRequest, metallo: Path, cache: Path) -> release.Order:
    return release.Order(
        release="2026.12.1",
        mode=request.param,
        metallo=metallo,
        revision="unknown",
        cache=cache,
        settle={"site-agent": 2},
    )


@pytest.fixture(scope="session")
def unpacked(order: release.Order, directory: Path) -> Path:
    """Give an archive as a directory, in each dependency mode."""
    return archive.write_unpacked(order, archive.files(order), directory / order.mode)
