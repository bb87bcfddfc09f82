"""What stands brought to disk: a whole file system (pip fsyncs next to nothing of what it writes), or our names.

A run that was killed may have renamed a file and not yet fsynced its directory. Whoever then reads that name, finds
that nothing is to be done and says so, must first make it durable: else a power cut takes back what was said.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from installer.host import atomic
from installer.paths import Paths
from states.errors import HostError


def sync_file_system(path: Path) -> None:
    """Write everything of the file system that holds `path` to disk (syncfs(2)); raise OSError when it cannot be."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if libc.syncfs(handle) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(handle)


def pin(paths: Paths) -> None:
    """Make every name of ours durable as it stands, so that what is read from now on is on disk.

    Raises:
        HostError: a directory cannot be brought to disk.

    """
    for path in (paths.opt, *_below(paths.releases), paths.etc, paths.secrets, paths.state):
        _sync(path)
    pin_units(paths)


def pin_units(paths: Paths) -> None:
    """Make the names in the unit directory durable, those by which units are enabled too: systemctl fsyncs none.

    Raises:
        HostError: a directory cannot be brought to disk.

    """
    for path in (paths.units, *paths.units.glob("*.wants")):
        _sync(path)


def _below(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir():
        yield from (Path(entry.path) for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False))


def _sync(path: Path) -> None:
    try:
        atomic.sync_directory(path)
    except (FileNotFoundError, NotADirectoryError):
        return  # and so it has no names
    except OSError as error:
        message = f"cannot bring '{path}' to disk: {error.strerror}"
        raise HostError(message, facts={"path": str(path)}) from error
