"""linked → units-installed: exactly one release's unit files stand, and systemd has loaded them."""

from states.errors import HostError
from states.host import Host
from states.plan import Plan, Release, WayBack
from states.unit import OURS, UNIT_FILES, file_of


def do(plan: Plan, host: Host) -> None:
    """Exactly the incoming release's unit files stand; what it lacks is stopped, disabled, then removed."""
    _install(plan.incoming, host)


def undo(back: WayBack, host: Host) -> None:
    """Exactly the outgoing release's unit files stand; what it lacks is stopped, disabled, then removed."""
    _install(back.outgoing, host)


def _install(release: Release | None, host: Host) -> None:
    wanted = release.unit_files if release else {}
    _retire([name for name in UNIT_FILES if name not in wanted], host)
    if release:
        for name in UNIT_FILES:
            if name in wanted:
                host.units.place(release.id, name)
    host.units.reload()
    if stale := [state.name for state in host.units.states(OURS) if state.stale]:
        raise HostError(f"cannot load {stale}: systemd still asks for a daemon-reload")


def _retire(names: list[str], host: Host) -> None:
    standing = host.units.on_disk()
    for name in names:
        if name in standing:
            units = [unit for unit in OURS if file_of(unit) == name]
            host.units.stop(units)
            host.units.disable(units)
            host.units.remove(name)
