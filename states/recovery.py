"""Where a killed run left the host: read off two symlinks and the record, nothing else.

Guessing the furthest state is safe, because every undo is idempotent.
"""

from states.errors import Interrupted, Refused
from states.events import Observer, unobserved
from states.host import Host
from states.machine import Activation
from states.observed import differences, moved, observe
from states.outcome import Outcome
from states.plan import Record, Release, WayBack
from states.state import State


def locate(host: Host, record: Record | None) -> State | None:
    """Return where the walk back must begin; None when the host is settled.

    `previous` alone moved: a run had just begun, or was nearly back. Whatever else is not as recorded (`current`,
    a unit file, an agent) can be the work of any later step, or of a stuck walk back: then from the furthest.
    """
    seen = observe(host, record)
    left = differences(record, seen)
    if not left:
        return None
    current = record.release if record else None
    begun = left == moved(record, current, seen.previous)
    return State.VERIFIED if begun else State.HEALTHY


def recover(host: Host, observer: Observer = unobserved) -> Outcome | None:
    """Make the host what the record says; None when it is already, and nothing was done."""
    record = host.files.record()
    at = locate(host, record)
    if at is None:
        return None
    back = WayBack(_outgoing(host, record), record)
    cause = Interrupted("an earlier run was stopped in the middle")
    return Activation(host, back, observer, at=at).walk_back(cause)


def interrupted(host: Host) -> bool:
    """Return whether an earlier run was stopped in the middle (drift alone is none)."""
    return bool(moved(host.files.record(), host.files.link("current"), host.files.link("previous")))


def _outgoing(host: Host, record: Record | None) -> Release | None:
    if record is None:
        return None
    try:
        return host.files.release(record.release)
    except Refused as error:
        raise Refused(
            f"cannot recover: the record names release '{record.release}', but {error.message}",
            hint="install that release again, then run recover",
        ) from error
