"""verified → previous-release: the outgoing release serves again, and only then is the host settled."""

from states.errors import HostError
from states.host import Host
from states.plan import WayBack
from states.unit import UnitState

TICK = 0.5  # seconds between two looks at a unit that is still starting
TICKS = 40


def do(back: WayBack, host: Host) -> None:
    """Serve, remove what a killed run left, and then `previous` := what the record says.

    That is the last effect of the way back: it lowers the in-flight flag.
    """
    serve(back, host)
    host.files.sweep()
    host.files.point("previous", back.record.previous if back.record else None)


def serve(back: WayBack, host: Host) -> None:
    """The recorded agents are enabled and run from the recorded release; those that already do are left alone."""
    if not back.outgoing:
        return
    if host.files.link("current") != back.outgoing.id:
        raise HostError(f"cannot start release '{back.outgoing.id}': 'current' does not name it")
    host.units.enable(back.outgoing.boot_units)
    if back.serving:
        _revive(back.outgoing.id, back.serving, host)


def _revive(release: str, serving: tuple[str, ...], host: Host) -> None:
    host.units.enable(serving)
    if lost := [state.name for state in host.units.states(serving) if not state.runs(release)]:
        host.units.reset_failed(lost)
        host.units.restart(lost)
        if not host.units.queues():
            _await(release, lost, host)


def _await(release: str, units: list[str], host: Host) -> None:
    waiting: list[UnitState] = []
    for _ in range(TICKS):
        waiting = [state for state in host.units.states(units) if not state.runs(release)]
        if not waiting:
            return
        host.patience.pause(TICK)
    state = waiting[0]
    elsewhere = state.active == "active"
    raise HostError(
        f"cannot bring '{state.name}' back: it is {state.active}{f', from {state.origin}' * elsewhere}",
        hint=f"systemctl cat {state.name}" if elsewhere else f"journalctl -u {state.name} -n 50",
        facts={"unit": state.name, "tail": list(host.units.journal(state)[-10:])},
    )
