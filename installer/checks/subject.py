"""What the areas look at, read once: site.env, the archive, and where the private inputs lie."""

from pathlib import Path

import attrs

from installer.archive import Archive, open_archive
from installer.environment import Caller
from installer.paths import Paths
from installer.site import load_site_bytes
from installer.site_env import SiteEnv, read_site_env
from states.errors import Refused


@attrs.frozen
class Subject:
    """The inputs of all areas; what could not be read is None, and its error says why."""

    paths: Paths
    inputs: Path
    grants: Path | None
    site_env: bytes
    site: SiteEnv | None
    site_error: Refused | None
    archive: Archive | None
    archive_error: Refused | None


def subject(caller: Caller, program: Path, tokens: Path | None, grants: Path | None = None) -> Subject:
    """Return what is to be checked."""
    paths = caller.paths
    site_env, site, site_error = b"", None, None
    archive, archive_error = None, None
    try:
        site_env = load_site_bytes(paths)
        site = read_site_env(site_env, str(paths.site_env))
    except Refused as error:
        site_error = error
    try:
        archive = open_archive(program.parent)
    except Refused as error:
        archive_error = error
    return Subject(paths, tokens or paths.secrets, grants, site_env, site, site_error, archive, archive_error)
