"""A staged tree made final: our own files in it, no write bits, root's, and no empty directory."""

import os
import stat
from pathlib import Path

from installer.host import atomic
from installer.host.tree import walk


def copy(source: Path, target: Path) -> None:
    """Copy a file's bytes; executable stays executable, and nobody may write (0555 or 0444). Raises OSError."""
    mode = 0o555 if os.stat(source).st_mode & stat.S_IXUSR else 0o444
    write(target, source.read_bytes(), mode)


def write(target: Path, data: bytes, mode: int = 0o444) -> None:
    """Write a file of the release, durably, below a directory that is made when it is missing. Raises OSError."""
    atomic.make_directory(target.parent)
    atomic.replace(target, data, mode)


def seal(root: Path) -> None:
    """Take all write bits from everything below `root`, which keeps its own until its lists are in it.

    Directories become 0555, files 0555 when their owner may execute them and else 0444; when we are root, everything
    is given to root. Empty directories go: no list could name them. Raises OSError.
    """
    tree = walk(root)
    for folder in tree.folders:
        for name in folder.names:
            _close(root / folder.path / name)
    for link in tree.links:
        _give(root / link, os.lstat(root / link))
    for path in sorted(tree.directories[1:], reverse=True):  # the deepest first
        if not os.listdir(root / path):
            os.rmdir(root / path)
        else:
            _close(root / path)
    _give(root, os.lstat(root))


def shut(root: Path) -> None:
    """Take the write bit from the release's own directory, as the last thing. Raises OSError."""
    os.chmod(root, 0o555)  # noqa: S103 -- both service identities read it


def _close(path: Path) -> None:
    found = os.lstat(path)
    mode = 0o555 if stat.S_ISDIR(found.st_mode) or found.st_mode & stat.S_IXUSR else 0o444
    _give(path, found)
    if stat.S_IMODE(found.st_mode) != mode:
        os.chmod(path, mode)


def _give(path: Path, found: os.stat_result) -> None:
    """Give the file to root; before its mode is set, as chown(2) may clear bits of that."""
    if os.geteuid() == 0 and (found.st_uid, found.st_gid) != (0, 0):
        os.chown(path, 0, 0, follow_symlinks=False)
