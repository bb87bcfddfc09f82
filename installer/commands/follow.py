"""`follow`: show the run that is under way, from another terminal; leaving does not end it."""

from argparse import Namespace

from installer import exits
from installer.environment import Caller
from installer.following import follow
from installer.host import identity, transient
from installer.host.stream import Stream
from states.errors import Refused


class _Left(Exception):  # no error: the operator has seen enough
    """The operator leaves."""


def main(args: Namespace, caller: Caller) -> int:
    """Show the run and return its exit code; 0 when the operator leaves before its end."""
    if not identity.is_root():
        Stream(2).write("pharos-hpc: cannot follow: it needs root\n  hint: sudo pharos-hpc follow")
        return exits.NEEDS_ROOT
    run = transient.under_way(caller.paths) if transient.booted(caller.paths) else None
    if run is None:
        raise Refused("cannot follow: no run is under way", hint="pharos-hpc history")
    try:
        return follow(run, caller, as_json=args.json, interrupted=_leave)
    except _Left:
        return exits.DONE


def _leave() -> None:
    raise _Left
