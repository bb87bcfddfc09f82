"""Secrets handed to a program that runs as another identity: files in a private directory that never outlives the run.

The directory has one fixed name, on a file system that a reboot empties. The lock is held, so nobody else uses it, and
what a killed run leaves is found without a search.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from installer.host import atomic
from installer.host.process import Identity
from installer.paths import Paths
from states.errors import HostError


def place(paths: Paths) -> Path:
    """Return the directory, beside the lock."""
    return paths.lock.parent / "handover"


def clear(paths: Paths) -> bool:
    """Remove what a killed run left; return whether there was something. Raises `OSError`."""
    if not os.path.lexists(place(paths)):
        return False
    atomic.erase(place(paths))
    return True


@contextmanager
def handed_over(paths: Paths, files: Mapping[str, bytes], identity: Identity | None) -> Iterator[Path]:
    """Give a 0700 directory with these files (0400), all the identity's own; nothing of it is left afterwards.

    Raises:
        HostError: the host refuses to make it.

    """
    directory = place(paths)
    try:
        try:
            atomic.make_directory(directory.parent)
            clear(paths)
            _fill(directory, files, identity)
        except OSError as error:
            raise HostError(f"cannot write '{error.filename or directory}': {error.strerror}") from error
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _fill(directory: Path, files: Mapping[str, bytes], identity: Identity | None) -> None:
    """Make the directory closed to all others; it becomes the identity's when nothing is written into it any more."""
    os.mkdir(directory, 0o700)
    within = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for name, data in files.items():
            _write(name, data, within, identity)
        os.fchmod(within, 0o700)
        if identity:
            os.fchown(within, identity.uid, identity.gid)
    finally:
        os.close(within)


def _write(name: str, data: bytes, within: int, identity: Identity | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(name, flags, 0o400, dir_fd=within)
    with os.fdopen(handle, "wb") as file:
        if identity:
            os.fchown(handle, identity.uid, identity.gid)
        os.fchmod(handle, 0o400)
        file.write(data)
