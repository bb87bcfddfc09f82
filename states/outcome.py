"""How a run ended: exactly one of three ways (spec 02)."""

from typing import TypeAlias

import attrs

from states.plan import Record


@attrs.frozen
class Recorded:
    """The incoming release is active, healthy and recorded."""

    record: Record


@attrs.frozen
class PreviousRelease:
    """The release recorded before is active again, and that was verified. `record` is None if there was none."""

    record: Record | None
    cause: Exception


@attrs.frozen
class Stuck:
    """Something could not be restored: `failures` of undos, and the `differences` that remain."""

    record: Record | None
    cause: Exception
    failures: tuple[Exception, ...]
    differences: tuple[str, ...]


Outcome: TypeAlias = Recorded | PreviousRelease | Stuck
