"""Whether what will be staged fits on the file system: bytes and inodes, with a reserve for the way back."""

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from states.errors import HostError

BLOCK: Final = 4096  # bytes; what a small file takes
BYTECODE: Final = 1.3  # bytes of .pyc for a byte of .py; 1.1 measured on the site agent's closure
MIB: Final = 1 << 20


@attrs.frozen
class Space:
    """Bytes and inodes, needed or available."""

    size: int
    inodes: int

    def __add__(self, other: "Space") -> "Space":
        return Space(self.size + other.size, self.inodes + other.inodes)


RESERVE: Final = Space(128 * MIB, 2000)  # for links, units, the record and logs of an activation and of its way back
UNKNOWN: Final = Space(512 * MIB, 40_000)  # a component that comes from an index: twice what the site agent takes
ENVIRONMENT: Final = Space(8 * MIB, 200)  # an empty virtual environment, and our own files


def taken_by(wheels: Iterable[Path]) -> Space:
    """Return what the wheels take when they are installed and byte-compiled.

    Raises:
        HostError: a file is not a wheel.

    """
    total = Space(0, 0)
    for wheel in wheels:
        try:
            with zipfile.ZipFile(wheel) as archive:
                total += _installed({entry.filename: entry.file_size for entry in archive.infolist()})
        except (OSError, zipfile.BadZipFile) as error:
            raise HostError(f"cannot read wheel '{wheel}': {error}") from error
    return total


def _installed(files: dict[str, int]) -> Space:
    """Return what files take, with a .pyc for each .py, and directories with a `__pycache__` each."""
    sources = [size * BYTECODE for name, size in files.items() if name.endswith(".py")]
    directories = 2 * len({name.rpartition("/")[0] for name in files})
    size = sum(map(_blocks, (*files.values(), *sources))) + directories * BLOCK
    return Space(size, len(files) + len(sources) + directories)


def _blocks(size: float) -> int:
    return int(-(-size // BLOCK)) * BLOCK


def occupied_by(directories: Iterable[Path]) -> Space:
    """Return what these trees take, and would give back; what vanishes meanwhile counts for nothing."""
    size, inodes = 0, 0
    for directory in directories:
        for folder, _, names in os.walk(directory):
            for path in (folder, *(os.path.join(folder, name) for name in names)):
                size += os.lstat(path).st_blocks * 512  # stat(2): whatever the file system's block size
                inodes += 1
    return Space(size, inodes)


def available(directory: Path) -> Space:
    """Return what is free for us where `directory` is, or will be made (statvfs(3))."""
    there = next(path for path in (directory, *directory.parents) if path.exists())
    try:
        found = os.statvfs(there)
    except OSError as error:
        raise HostError(f"cannot ask for free space at '{there}': {error.strerror}") from error
    inodes = found.f_favail if found.f_files else 1 << 62  # 0 of 0: the file system has no limit of inodes
    return Space(found.f_bavail * found.f_frsize, inodes)


def lacking(directory: Path, needed: Space, free: Space) -> tuple[str, ...]:
    """Return one sentence for each of bytes and inodes that does not suffice for `needed` and the reserve."""
    wanted = needed + RESERVE
    faults = []
    if free.size < wanted.size:
        faults.append(f"'{directory}' has {free.size // MIB} MiB free, {-(-wanted.size // MIB)} MiB are needed")
    if free.inodes < wanted.inodes:
        faults.append(f"'{directory}' has {free.inodes} inodes free, {wanted.inodes} are needed")
    return tuple(faults)
