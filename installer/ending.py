"""How a command ended: the outcome's name, the exit code, and what an operator is told last."""

import attrs

from installer import exits
from states.errors import PharosError
from states.outcome import Outcome, PreviousRelease, Recorded, Stuck
from states.plan import Record


@attrs.frozen
class Ending:
    """`outcome` is one of spec 05's; `message` is one sentence, `hint` what to do, `details` what is not restored."""

    outcome: str
    exit_code: int
    message: str
    hint: str = ""
    error: BaseException | None = None
    details: tuple[str, ...] = ()
    release: str | None = None
    previous: str | None = None


def done(message: str, hint: str = "", *, release: str | None = None) -> Ending:
    """Return the ending of a command that did what it was asked."""
    return Ending("done", exits.DONE, message, hint, release=release)


def refused(error: PharosError, code: int = exits.REFUSED) -> Ending:
    """Return the ending of a command that changed nothing."""
    return Ending("refused", code, error.message, error.hint, error)


def of(outcome: Outcome) -> Ending:
    """Return the ending of an activation."""
    match outcome:
        case Recorded(record):
            return _recorded(record)
        case PreviousRelease(record, cause):
            return Ending(
                "previous-release",
                exits.PREVIOUS,
                f"{_active(record)} again, as before",
                _hint(cause, "see what failed above, then try again"),
                cause,
                release=record.release if record else None,
                previous=record.previous if record else None,
            )
        case Stuck(record, cause, failures, left):
            return Ending(
                "stranded",
                exits.STRANDED,
                f"not all could be restored; {_recorded_is(record)}",
                "run 'pharos-hpc recover'",
                cause,
                (*(_message(failure) for failure in failures), *left),
                release=record.release if record else None,
                previous=record.previous if record else None,
            )


def _recorded(record: Record) -> Ending:
    units = " ".join(record.units)
    message = f"{_active(record)}" + (f": {units}" if record.running else "")
    hint = "pharos-hpc status" if record.running else "start again with 'pharos-hpc activate'"
    return Ending("recorded", exits.DONE, message, hint, release=record.release, previous=record.previous)


def _active(record: Record | None) -> str:
    if record is None:
        return "no release is active"
    return f"release '{record.release}' is {'active' if record.running else 'stopped'}"


def _recorded_is(record: Record | None) -> str:
    return f"the record names release '{record.release}'" if record else "there is no record yet"


def _hint(cause: Exception, otherwise: str) -> str:
    return (cause.hint if isinstance(cause, PharosError) else "") or otherwise


def _message(error: Exception) -> str:
    return error.message if isinstance(error, PharosError) else f"internal error: {error}"
