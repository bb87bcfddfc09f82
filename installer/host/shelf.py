"""The directory of releases: which are complete, and how one leaves it without looking like a release half removed.

What is being staged or removed has a mark beside it, so that a killed run's directory is told from what somebody put
there, which is never touched.
"""

import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Final

import attrs

from installer.host import atomic
from installer.host.tree import SUMS, complete
from installer.paths import Paths
from states.errors import HostError

WRITABLE: Final = 0o755  # of a release's own directory, until it is sealed
TRASH: Final = ".trash-"  # no release id begins with a dot
MARK: Final = ".unfinished-"


@attrs.frozen
class Shelved:
    """A directory of the shelf: `at` is when its SHA256SUMS was written (seconds since 1970), 0 when there is none."""

    id: str
    complete: bool
    at: float


def shelved(paths: Paths) -> tuple[Shelved, ...]:
    """Return every directory of the shelf but the trash, oldest first, the interrupted ones before all.

    Raises:
        HostError: the shelf cannot be read.

    """
    found = (_shelved(paths.release(name)) for name in _names(paths) if not name.startswith(TRASH))
    return tuple(sorted(found, key=lambda each: (each.at, each.id)))


def leftovers(paths: Paths) -> tuple[Path, ...]:
    """Return what interrupted stagings and removals left."""
    return tuple(paths.release(name) for name in _names(paths) if name.startswith(TRASH) or _is_left(paths, name))


def foreign(paths: Paths) -> tuple[Path, ...]:
    """Return the directories that are no release, nor what a run of ours left."""
    names = (name for name in _names(paths) if not name.startswith(TRASH))
    return tuple(
        paths.release(name) for name in names if not complete(paths.release(name)) and not _is_left(paths, name)
    )


def begin(paths: Paths, release: str) -> None:
    """Make the empty directory of a release, 0755 whatever the umask; raise `HostError` when one is there already."""
    path = paths.release(release)
    try:
        atomic.make_directory(paths.releases)
        atomic.replace(_mark(paths, release), b"", 0o644)
        os.mkdir(path)
        os.chmod(path, WRITABLE)
    except OSError as error:
        raise _cannot("make", error, path) from error


def finish(paths: Paths, release: str) -> None:
    """Take the mark away, as nothing is unfinished any more; raise `HostError` when the host refuses."""
    try:
        atomic.remove(_mark(paths, release))
    except OSError as error:
        raise _cannot("remove", error, _mark(paths, release)) from error


def remove(paths: Paths, release: str) -> None:
    """Remove a release, or what an interrupted staging left of it; nothing happens when there is none.

    It stops being a release first (SHA256SUMS), then leaves its name (rename), and only then are its files removed: a
    kill at any point leaves no release, and at most trash.

    Raises:
        HostError: the host refuses.

    """
    path, trash = paths.release(release), paths.releases / f"{TRASH}{release}"
    try:
        _erase(trash)
        if os.path.lexists(path):
            atomic.replace(_mark(paths, release), b"", 0o644)
            os.chmod(path, WRITABLE)  # whoever is not root needs the write bit that a release does not have
            atomic.remove(path / SUMS)
            os.rename(path, trash)
            atomic.sync_directory(paths.releases)
            _erase(trash)
        atomic.remove(_mark(paths, release))
    except OSError as error:
        raise _cannot("remove", error, path) from error


def clear(paths: Paths, used: Collection[str]) -> tuple[str, ...]:
    """Remove what interrupted stagings and removals left, but never what is in use; return their names.

    Raises:
        HostError: the host refuses.

    """
    left = tuple(path.name for path in leftovers(paths) if path.name not in used)
    try:
        for name in left:
            _clear(paths, name)
        for mark in paths.releases.glob(f"{MARK}*"):
            if mark.name.removeprefix(MARK) not in used:
                atomic.remove(mark)
    except OSError as error:
        raise _cannot("remove", error, paths.releases) from error
    return left


def _clear(paths: Paths, name: str) -> None:
    if name.startswith(TRASH):
        _erase(paths.release(name))
    else:
        remove(paths, name)


def _mark(paths: Paths, release: str) -> Path:
    return paths.releases / f"{MARK}{release}"


def _is_left(paths: Paths, name: str) -> bool:
    return not complete(paths.release(name)) and os.path.lexists(_mark(paths, name))


def _names(paths: Paths) -> list[str]:
    try:
        with os.scandir(paths.releases) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _cannot("read", error, paths.releases) from error


def _shelved(path: Path) -> Shelved:
    whole = complete(path)
    return Shelved(path.name, whole, os.lstat(path / SUMS).st_mtime if whole else 0)


def _erase(path: Path) -> None:
    if not os.path.lexists(path):
        return
    for directory, _, _ in os.walk(path):
        os.chmod(directory, 0o700)
    shutil.rmtree(path)


def _cannot(verb: str, error: OSError, path: Path) -> HostError:
    path = Path(os.fsdecode(error.filename or path))
    return HostError(f"cannot {verb} '{path}': {error.strerror}", facts={"path": str(path)})
