"""A whole file system brought to disk with one call: pip fsyncs next to nothing of what it writes."""

import os
from pathlib import Path


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
