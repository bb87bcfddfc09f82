"""→ verified: the only maker of plans. It changes nothing, so a refusal has nothing to compensate.

It covers the incoming release and the way back: what could not be brought back is not left.
"""

from collections.abc import Iterable

import attrs

from states.errors import Refused
from states.host import Host
from states.plan import Plan, Record, Release, WayBack
from states.unit import OURS


@attrs.frozen
class Request:
    """What is asked for: a release with some of its components and units, running or stopped, and by whom."""

    release: str
    components: tuple[str, ...]
    units: tuple[str, ...]
    running: bool
    at: str
    by: str
    transaction: str
    no_way_back: bool = False


def verify(request: Request, host: Host) -> Plan:
    """Return the plan, or raise `Refused` with everything that speaks against it."""
    record = host.files.record()
    incoming = host.files.release(request.release)
    outgoing = _outgoing(record, host, request)
    unknown = [*_selection(request, incoming)]
    faults = [*unknown, *_masked(host)]
    if request.running and not unknown:  # whatever is wrong with a release, it can always be stopped
        faults += [*_replaced(host), *_whole(request, incoming, outgoing, host)]
    if faults:
        raise _refused(f"cannot activate release '{incoming.id}'", faults)
    return Plan(incoming, _next(request, record), WayBack(outgoing, record))


def _refused(what: str, faults: list[str]) -> Refused:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return Refused(
        f"{what}: {faults[0]}{more}",
        hint="nothing was changed; run 'pharos-hpc check' for the whole list",
        facts={"faults": faults},
    )


def _outgoing(record: Record | None, host: Host, request: Request) -> Release | None:
    if record is None:
        return None
    try:
        return host.files.release(record.release)
    except Refused as error:
        if request.no_way_back:
            return None
        raise _refused("cannot activate: no way back", [error.message]) from error


def _selection(request: Request, incoming: Release) -> Iterable[str]:
    offered = [component.name for component in incoming.components]
    for component in request.components:
        if component not in offered:
            yield f"component '{component}' is not in the release, which has {' '.join(offered)}"


def _whole(request: Request, incoming: Release, outgoing: Release | None, host: Host) -> Iterable[str]:
    """Both releases are inspected at once: the incoming one, and the one that the way back would lead to."""
    asked: dict[str, tuple[str, ...]] = {}
    if outgoing and not request.no_way_back:
        asked[outgoing.id] = tuple(component.name for component in outgoing.components)
    asked[incoming.id] = request.components
    found = host.inspection.faults(asked)
    yield from found[incoming.id]
    for release in asked:
        if release != incoming.id:
            yield from (f"no way back: {fault}" for fault in found[release])


def _masked(host: Host) -> Iterable[str]:
    for state in host.units.states(OURS):
        if state.load == "masked":
            yield f"unit '{state.name}' is masked by an administrator; run 'systemctl unmask {state.name}' first"


def _replaced(host: Host) -> Iterable[str]:
    """No release could run through such a drop-in, the one on the way back neither."""
    for state in host.units.states(OURS):
        if state.replaced:
            yield f"unit '{state.name}' would not run our program: '{state.replaced}' replaces ExecStart; move it away"


def _next(request: Request, record: Record | None) -> Record:
    """A re-activation of the same release keeps the record's previous release."""
    same = record is not None and record.release == request.release
    previous = (record.previous if same else record.release) if record else None
    return Record(
        release=request.release,
        previous=previous,
        components=request.components,
        units=request.units,
        running=request.running,
        at=request.at,
        by=request.by,
        transaction=request.transaction,
    )
