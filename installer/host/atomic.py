"""Files and links replaced by rename, durably: a reader sees the old one or the new one, also after a power cut.

A temporary file has one fixed name beside its target: the lock is held, so nobody else writes it, and what a killed
run leaves is found without a search.
"""

import os
import shutil
from pathlib import Path
from typing import Final

SUFFIX: Final = ".pharos-tmp"


def temporary(path: Path) -> Path:
    """Return the name under which `path` is prepared."""
    return path.with_name(f".{path.name}{SUFFIX}")


def replace(path: Path, data: bytes, mode: int) -> None:
    """Make `path` a regular file of these bytes and this mode (octal); fsync before the rename, its directory after."""
    beside = temporary(path)
    remove(beside)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        try:
            os.fchmod(handle, mode)  # whatever the caller's umask
            _write(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    sync_directory(path.parent)


def link(path: Path, target: str) -> None:
    """Make `path` a symbolic link to `target`, replaced by rename, its directory fsynced."""
    beside = temporary(path)
    remove(beside)
    os.symlink(target, beside)
    try:
        os.rename(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    sync_directory(path.parent)


def remove(path: Path) -> None:
    """Remove a file or link, durably; nothing happens when there is none."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    sync_directory(path.parent)


def erase(path: Path) -> None:
    """Remove a directory with all below it, or whatever else has its name (never through a link), durably."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
        sync_directory(path.parent)
    else:
        remove(path)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable (fsync(2): a file's own fsync does not cover its entry)."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_directory(path: Path, mode: int = 0o755) -> None:
    """Make a directory and what is missing above it, with this mode whatever the umask, durably."""
    if path.is_dir():
        return
    make_directory(path.parent)
    os.mkdir(path)
    os.chmod(path, mode)
    sync_directory(path.parent)


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
