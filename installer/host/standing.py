"""How a file that is to be stands to the one that is."""

import os
import stat
from typing import Final

from installer.host.commit import Staged

NEW: Final = "new"
REPLACED: Final = "replaced"
UNCHANGED: Final = "unchanged"


def of(file: Staged) -> str:
    """Return UNCHANGED when bytes, mode and owner are as wanted already; a link or another kind of file is REPLACED.

    Owners count for root only: nobody else can give a file away.
    """
    if not os.path.lexists(file.path):
        return NEW
    try:
        handle = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return REPLACED
    with os.fdopen(handle, "rb") as there:
        found = os.fstat(handle)
        same = stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) == file.mode and _owned(found, file)
        return UNCHANGED if same and there.read() == file.data else REPLACED


def _owned(found: os.stat_result, file: Staged) -> bool:
    return os.geteuid() != 0 or (found.st_uid, found.st_gid) == (file.uid, file.gid)
