"""verified → linked: `current` names the incoming release.

`previous` moves first and comes back last (resume.py): while a link disagrees with the record, an activation is
in flight, and that is all a later process needs to know.
"""

from collections.abc import Iterable

from states.host import Host
from states.plan import Plan, WayBack


def do(plan: Plan, host: Host) -> None:
    """`previous` := what the next record says, then `current` := incoming, then exactly its stable links.

    Before that, what a killed run that moved no link (`stop`) left beside them is removed.
    """
    host.files.sweep()
    host.files.point("previous", plan.next.previous)
    host.files.point("current", plan.incoming.id)
    _expose(host, (component.name for component in plan.incoming.components))


def undo(back: WayBack, host: Host) -> None:
    """`current` := outgoing, or absent if there was none, and exactly its stable links."""
    host.files.point("current", back.outgoing.id if back.outgoing else None)
    _expose(host, (component.name for component in back.outgoing.components) if back.outgoing else ())


def _expose(host: Host, components: Iterable[str]) -> None:
    wanted = tuple(components)
    for component in wanted:
        host.files.expose(component)
    for component in sorted(set(host.files.exposed()) - set(wanted)):
        host.files.hide(component)
