"""healthy → recorded: the commit."""

from states.host import Host
from states.plan import Plan, WayBack


def do(plan: Plan, host: Host) -> None:
    """The record names the incoming release."""
    host.files.commit(plan.next)


def undo(back: WayBack, host: Host) -> None:
    """The record is what the plan found."""
    host.files.commit(back.record)
