"""A host that has an archive, a site.env and no release yet."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from fixtures.archive import make_archive
from installer.archive import Archive, open_archive
from installer.paths import Paths
from installer.site_env import SiteEnv, read_site_env
from installer.site_env_text import example
from installer.staging import stage
from tests.installer.conftest import Wheels


@contextmanager
def quiet(_what: str) -> Iterator[None]:
    """Report nothing."""
    yield


@attrs.frozen
class Stage:
    """What staging is given."""

    root: Path
    site_env: bytes

    @property
    def paths(self) -> Paths:
        return Paths(self.root / "host")

    @property
    def archive(self) -> Archive:
        return open_archive(self.root / "archive")

    @property
    def site(self) -> SiteEnv:
        return read_site_env(self.site_env, "site.env")

    @property
    def release(self) -> Path:
        return self.paths.release("1.0")

    def run(self) -> Path:
        return stage(self.paths, self.site, self.archive, self.site_env, quiet)


def site_env(python: Path) -> bytes:
    return example().replace(b"HOST_PYTHON=/opt/python/3.13/bin/python3.13", f"HOST_PYTHON={python}".encode())


def make_stage(root: Path, python: Path, wheels: Wheels, pip: Path, **keys: str) -> Stage:
    make_archive(root / "archive", "1.0", wheels, pip, **keys)
    return Stage(root, site_env(python))
