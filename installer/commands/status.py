"""`status`: what is recorded, what really runs, and whether they agree; needs neither root nor the lock."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from installer import exits, jsontext
from installer.answer import say
from installer.environment import Caller
from installer.host.files import RealFiles
from installer.host.history import read
from installer.host.systemd import RealUnits
from states.errors import HostError
from states.observed import Observed, differences, observe
from states.plan import Record
from states.unit import RECOVER, UnitState


def main(args: Namespace, caller: Caller) -> int:
    """Print the status and return the exit code that says it."""
    host = _Reading(RealFiles(caller.paths), RealUnits(caller.paths))
    try:
        record = host.files.record()
        seen = observe(host, record, hash_files=args.full)
    except HostError as error:
        say(args, {"error": error.message}, [f"pharos-hpc: {error.message}"])
        return exits.STRANDED
    left = (*differences(record, seen), *_pending(caller))
    past = list(read(caller.paths))[-3:]
    origin = _origin(caller, record)
    say(args, _answer(record, seen, left, past, origin), _lines(record, seen, left, past, origin))
    return _code(record, left)


class _Reading:
    """The two ports that `observe` needs; the others would cost their imports."""

    def __init__(self, files: RealFiles, units: RealUnits) -> None:
        self.files = files
        self.units = units


def _pending(caller: Caller) -> Iterator[str]:
    if (caller.paths.etc / ".staged").exists() or (caller.paths.etc / ".committed").exists():
        yield "a configure was stopped in the middle"


def _origin(caller: Caller, record: Record | None) -> Mapping[str, Any]:
    """Return signature.json of the recorded release as it is: a class of it would cost its making at each start."""
    blank = {"state": "not-checked", "sha256": "", "identity": ""}
    if record is None:
        return blank
    try:
        found = jsontext.loads((caller.paths.release(record.release) / "signature.json").read_bytes())
    except (OSError, ValueError):
        return blank
    return found if isinstance(found, dict) else blank


def _code(record: Record | None, left: tuple[str, ...]) -> int:
    if left:
        return exits.STRANDED
    return exits.DONE if record and record.running else exits.PREVIOUS


def _answer(
    record: Record | None,
    seen: Observed,
    left: tuple[str, ...],
    past: Sequence[Mapping[str, Any]],
    origin: Mapping[str, Any],
) -> dict[str, object]:
    return {
        "release": record.release if record else None,
        "previous": record.previous if record else None,
        "running": bool(record and record.running),
        "recorded_at": record.at if record else None,
        "recorded_by": record.by if record else None,
        "transaction": record.transaction if record else None,
        "signature": origin,
        "consistent": not left,
        "differences": list(left),
        "units": [_unit(state) for state in seen.units],
        "history": past,
    }


def _unit(state: UnitState) -> dict[str, object]:
    return {
        "unit": state.name,
        "state": state.active,
        "enabled": state.enabled,
        "since": state.since,
        "pid": state.pid,
        "release": state.release,
        "restarts": state.restarts,
    }


def _lines(
    record: Record | None,
    seen: Observed,
    left: tuple[str, ...],
    past: Sequence[Mapping[str, Any]],
    origin: Mapping[str, Any],
) -> Iterator[str]:
    if record is None:
        yield "no release is active"
    else:
        yield f"release '{record.release}' is {'active' if record.running else 'stopped'}, previous: {record.previous}"
        yield f"recorded at {record.at} by {record.by}, transaction {record.transaction}"
        yield f"origin of its archive: {origin.get('state')} {origin.get('identity') or origin.get('sha256')}".rstrip()
    for state in seen.units:
        if state.name != RECOVER and (state.active != "inactive" or state.enabled):  # that one waits for a boot
            where = f"{state.origin}, pid {state.pid}, since {state.since}" if state.pid else ""
            yield f"  {state.name:<48} {state.active:<10} {where}".rstrip()
    for run in past:
        yield f"  {run.get('at')}  {run.get('command')}  {run.get('outcome')}  {run.get('duration_s')} s"
    yield from (f"  inconsistent: {sentence}" for sentence in left)
    yield "the host is what the record says" if not left else "next: pharos-hpc recover"
