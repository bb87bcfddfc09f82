"""Where an activation can stand."""

from enum import Enum


class State(Enum):
    """Each name is a claim about the host; the comment is the claim."""

    VERIFIED = "verified"  # the incoming release is whole, and so is the way back; nothing has changed
    LINKED = "linked"  # `current` names the incoming release
    UNITS_INSTALLED = "units-installed"  # exactly its unit files stand, and systemd has loaded them
    STARTED = "started"  # exactly its selected units were started
    HEALTHY = "healthy"  # they stayed, proved themselves, and the outside world answers
    RECORDED = "recorded"  # the record names it: committed

    PREVIOUS_RELEASE = "previous-release"  # the outgoing release serves again
    STUCK = "stuck"  # an undo failed: the host is in flight

    def __str__(self) -> str:
        """Return the name that spec, log and diagram use."""
        return self.value


FINAL = frozenset({State.RECORDED, State.PREVIOUS_RELEASE, State.STUCK})
