"""All that speaks against staging a release, found before anything is changed and told together."""

from collections.abc import Iterator
from pathlib import Path

from installer import releases
from installer.archive import Archive
from installer.host import shelf, space, tree
from installer.host.accounts import acting_as
from installer.host.process import Identity
from installer.host.reach import closed_to, python_version
from installer.identities import Wanted, wanted
from installer.manifest import Manifest
from installer.paths import Paths
from installer.site_env import SiteEnv, check_against_manifest
from states.errors import HostError


def faults(paths: Paths, site: SiteEnv, archive: Archive) -> tuple[str, ...]:
    """Return one sentence for each thing that speaks against staging: archive, site.env, interpreter, directory, room.

    Raises:
        HostError: the host does not answer.

    """
    damage = tuple(f"archive: {each}" for each in archive.damage())
    keys = tuple(problem.told(str(paths.site_env)) for problem in check_against_manifest(site, archive.manifest))
    room = () if damage else room_faults(paths, archive)  # how much it takes is read from its wheels
    return (*damage, *keys, *interpreter_faults(site, archive.manifest), *place_faults(paths, archive), *room)


def interpreter_faults(site: SiteEnv, manifest: Manifest) -> tuple[str, ...]:
    """Return what is wrong with HOST_PYTHON: the way to it, its version or its modules, for each service identity."""
    found = (fault for each in wanted(site) for fault in _interpreter(Path(site.host_python), each, manifest))
    return tuple(dict.fromkeys(found))  # each is told once


def room_faults(paths: Paths, archive: Archive) -> tuple[str, ...]:
    """Return what of bytes and inodes is lacking; what an interrupted run left will be cleared, and counts as free."""
    free = space.available(paths.releases) + space.occupied_by(shelf.leftovers(paths))
    return space.lacking(paths.releases, needed(archive), free)


def place_faults(paths: Paths, archive: Archive) -> Iterator[str]:
    """Yield why the release's directory cannot be made anew: agents run from it, or somebody put something there."""
    path, there = paths.release(archive.release), {each.id: each.complete for each in shelf.shelved(paths)}
    if there.get(archive.release) is False:
        if archive.release in releases.in_use(paths):
            yield f"release '{archive.release}' is in use and lacks {tree.SUMS}: activate another release first"
        elif path not in shelf.leftovers(paths):
            yield f"'{path}' lacks {tree.SUMS}, and no interrupted run left it: move it away"


def needed(archive: Archive) -> space.Space:
    """Return what the release will take, without the reserve."""
    total = space.ENVIRONMENT
    for component in archive.manifest.components:
        total += space.taken_by(archive.directory / wheel for wheel in component.wheels)
        if archive.manifest.dependency_mode == "index":
            total += space.UNKNOWN
    return total


def _interpreter(python: Path, each: Wanted, manifest: Manifest) -> Iterator[str]:
    """Ask the interpreter itself, as the identity, which knows more than permission bits do."""
    identity, required = Identity(each.uid, each.gid), manifest.python_requires
    try:
        version = python_version(python, acting_as(each.uid, each.gid))
    except HostError as error:
        if closed := closed_to(python, identity):
            yield f"HOST_PYTHON '{python}' is out of reach of '{each.name}': '{closed}' is closed to it, or not there"
        else:
            yield f"HOST_PYTHON does not work as '{each.name}': {error.message}"
        return
    if version[:2] < manifest.minimum_python:
        yield f"HOST_PYTHON '{python}' is Python {'.'.join(map(str, version))}, required is {required}"
