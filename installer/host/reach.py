"""Whether another identity reaches a file: which directory on the way is closed to it, links followed."""

import os
import stat
from pathlib import Path
from typing import Final

from installer.host.process import Identity, must, run
from states.errors import HostError

LINKS: Final = 40  # links that a path may lead through (path_resolution(7))
SECONDS: Final = 60.0
ASK: Final = "import ctypes, sys, ssl, venv, zlib; print(*sys.version_info[:3])"


def closed_to(path: Path, identity: Identity) -> Path | None:
    """Return the first directory on the way to `path`, or `path` itself, that the identity may not enter or execute.

    Read from permission bits (path_resolution(7)), so that it can be asked without being root; an access control list
    can say otherwise. What does not exist is returned too; None: the way is open.
    """
    way, here, links = list(reversed(path.parts[1:])), Path("/"), 0
    while way:
        if not _may_execute(here, identity):
            return here
        part = way.pop()
        below = here.parent if part == ".." else here / part
        if below.is_symlink() and links < LINKS:
            target, links = Path(os.readlink(below)), links + 1
            way += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            here = Path("/") if target.is_absolute() else here
        else:
            here = below
    return None if _may_execute(here, identity) else here


def _may_execute(path: Path, identity: Identity) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    if identity.uid == found.st_uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if identity.gid == found.st_gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def python_version(python: Path, identity: Identity | None) -> tuple[int, int, int]:
    """Return the version of a Python that works for this identity, with what staging and the agents need of it.

    Raises:
        HostError: it cannot be executed, or lacks a module.

    """
    done = must(run([python, "-I", "-c", ASK], seconds=SECONDS, identity=identity), f"use Python '{python}'")
    try:
        major, minor, micro = map(int, done.stdout.split())
    except ValueError:
        raise HostError(f"cannot use '{python}': it is not a Python; it printed {done.stdout[:80]!r}") from None
    return major, minor, micro
