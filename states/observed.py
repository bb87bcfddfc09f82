"""What a settled host is: `observe` reads it, `differences` compares it with the record; neither has an effect."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from states.errors import Refused
from states.plan import Record, Release
from states.unit import AGENTS, OURS, UnitState

if TYPE_CHECKING:
    from states.host import Reading


@attrs.frozen
class Observed:
    """The host as it stands; `recorded` is the record's release, or None if it is absent or incomplete."""

    current: str | None
    previous: str | None
    exposed: frozenset[str]
    unit_files: Mapping[str, bytes]
    units: tuple[UnitState, ...]
    leftovers: tuple[str, ...]
    recorded: Release | None
    damage: tuple[str, ...] = ()
    booting: bool = False


def observe(host: "Reading", record: Record | None, *, hash_files: bool = False) -> Observed:
    """Read everything that `differences` needs; hashing the release's files takes seconds, hence it is asked for."""
    recorded = _release(host, record)
    return Observed(
        current=host.files.link("current"),
        previous=host.files.link("previous"),
        exposed=frozenset(host.files.exposed()),
        unit_files=dict(host.units.on_disk()),
        units=host.units.states(OURS),
        leftovers=host.files.leftovers(),
        recorded=recorded,
        damage=host.files.damage(recorded.id) if recorded and hash_files else (),
        booting=host.units.queues(),
    )


def differences(record: Record | None, seen: Observed) -> tuple[str, ...]:
    """Return one sentence for each point in which the host is not what the record says; empty: settled.

    At boot a recorded agent that does not run yet is no difference: its start comes after us.
    """
    return (
        *_links(record, seen),
        *_unit_files(seen),
        *_agents(record, seen),
        *seen.damage,
        *(f"temporary file '{path}' is left" for path in seen.leftovers),
    )


def moved(record: Record | None, current: str | None, previous: str | None) -> tuple[str, ...]:
    """Return one sentence for each link that disagrees with the record: then a run was stopped in the middle."""
    live, before = (record.release, record.previous) if record else (None, None)
    links = (("current", current, live), ("previous", previous, before))
    return tuple(f"'{name}' names {_named(is_)}, the record {_named(be)}" for name, is_, be in links if is_ != be)


def _release(host: "Reading", record: Record | None) -> Release | None:
    try:
        return host.files.release(record.release) if record else None
    except Refused:
        return None


def _links(record: Record | None, seen: Observed) -> Iterator[str]:
    if record and not seen.recorded:
        yield f"release '{record.release}' of the record is not installed, or not complete"
    yield from moved(record, seen.current, seen.previous)
    wanted = {component.name for component in seen.recorded.components} if seen.recorded else set()
    for component in sorted(wanted ^ seen.exposed):
        yield f"the stable link of '{component}' is {'missing' if component in wanted else 'left over'}"


def _unit_files(seen: Observed) -> Iterator[str]:
    wanted = seen.recorded.unit_files if seen.recorded else {}
    for name in sorted({*wanted, *seen.unit_files}):
        if name not in seen.unit_files:
            yield f"unit file '{name}' is missing"
        elif name not in wanted:
            yield f"unit file '{name}' is left over"
        elif wanted[name] != seen.unit_files[name]:
            yield f"unit file '{name}' is not the recorded release's"
    for state in seen.units:
        if state.stale:
            yield f"systemd has not loaded the unit file of '{state.name}' that is on disk"


def _agents(record: Record | None, seen: Observed) -> Iterator[str]:
    serving = record.serving if record else ()
    for state in seen.units:
        if state.name not in AGENTS:
            yield from _boot_unit(state, seen)
        elif state.name not in serving:
            if state.enabled or state.active not in {"inactive", "failed"}:
                yield f"'{state.name}' is {state.active}{' and enabled' * state.enabled}, but not of the record"
        elif record and not state.runs(record.release) and not (seen.booting and state.pid == 0):
            yield f"'{state.name}' is {state.active}, running from {state.origin}, not from release '{record.release}'"
        elif not state.enabled:
            yield f"'{state.name}' is not enabled"


def _boot_unit(state: UnitState, seen: Observed) -> Iterator[str]:
    wanted = bool(seen.recorded and state.name in seen.recorded.boot_units)
    if state.enabled != wanted:
        yield f"'{state.name}' is {'not ' * wanted}enabled"


def _named(release: str | None) -> str:
    return f"release '{release}'" if release else "nothing"
