"""Reading a small file that somebody else wrote: a regular one, not through a link, bounded in size."""

import os
import stat
from pathlib import Path
from typing import Final

from states.errors import Refused

LIMIT: Final = 256 * 1024  # bytes


def read_small(path: Path, *, hint: str = "", limit: int = LIMIT) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes.

    Raises:
        Refused: it is missing, a link, not regular, writable by others, or too large.

    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        why = "it is a symbolic link" if path.is_symlink() else error.strerror
        raise Refused(f"cannot read '{path}': {why}", hint=hint, facts={"path": str(path)}) from error
    try:
        return _read(handle, path, limit)
    finally:
        os.close(handle)


def _read(handle: int, path: Path, limit: int) -> bytes:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"cannot read '{path}': it is not a regular file")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Refused(f"cannot trust '{path}': others than its owner can write it", hint=f"chmod go-w {path}")
    if found.st_size > limit:
        raise Refused(f"cannot read '{path}': it has {found.st_size} bytes, at most {limit} are expected")
    with os.fdopen(os.dup(handle), "rb") as file:
        return file.read(limit + 1)
