"""Exit codes: the number says where the host stands (spec 01)."""

from typing import Final

DONE: Final = 0  # done; status: consistent and running
REFUSED: Final = 1  # refused or failed before anything was changed; check: findings
USAGE: Final = 2
PREVIOUS: Final = 3  # failed, and the previous release is active again; status: not active
STRANDED: Final = 4  # not all could be restored; status: inconsistent with the record
LOCKED: Final = 75  # another run holds the lock
NEEDS_ROOT: Final = 77

MEANINGS: Final = {
    DONE: "done (status: consistent and running)",
    REFUSED: "refused or failed before anything was changed; check: findings",
    USAGE: "usage",
    PREVIOUS: "failed, and the previous release (or configuration) is active again; status: not active",
    STRANDED: "stranded: not all could be restored; status: inconsistent with the record",
    LOCKED: "another run holds the lock",
    NEEDS_ROOT: "needs root",
}
