"""units-installed → started: exactly the selected agents were started from the incoming release."""

from collections.abc import Collection

from states.host import Host
from states.plan import Plan, WayBack
from states.unit import AGENTS, RECOVER


def do(plan: Plan, host: Host) -> None:
    """What incoming does not run is stopped and disabled; the selected agents are enabled and restarted, in one job.

    The boot unit is enabled first: from here on a power cut must find `recover` before any agent.
    """
    serving = plan.next.serving
    host.units.enable(plan.incoming.boot_units)
    _drop([unit for unit in AGENTS if unit not in serving], host)
    if serving:
        host.units.reset_failed(serving)
        host.units.enable(serving)
        host.units.restart(serving)


def undo(back: WayBack, host: Host) -> None:
    """What outgoing did not run is stopped and disabled; what it did run is left to `resume`."""
    _drop([unit for unit in AGENTS if unit not in back.serving], host)
    if not (back.outgoing and back.outgoing.boot_units):
        _drop([RECOVER], host)


def _drop(units: Collection[str], host: Host) -> None:
    drop = [s.name for s in host.units.states(units) if s.enabled or s.active not in {"inactive", "failed"}]
    if drop:
        host.units.stop(drop)
        host.units.disable(drop)
