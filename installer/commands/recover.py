"""`recover`: make the host what the record says; a no-op when it is."""

from argparse import Namespace

from installer import ending, exits
from installer.ending import Ending
from installer.environment import Caller
from installer.session import Manner, Session, configure_finished, run, walked_back
from states.recovery import locate


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    manner = Manner(args.wait, args.json, at_boot=args.boot, recovers=False)
    return run(caller, "recover", recovered, manner)


def recovered(session: Session) -> Ending:
    """Finish what `configure` had committed, then walk back from wherever a run was stopped: each in any case."""
    unfinished = configure_finished(session)
    end = _recorded(session)
    return unfinished if unfinished and end.exit_code == exits.DONE else end


def _recorded(session: Session) -> Ending:
    record = session.host.files.record()
    at = locate(session.host, record)
    if at is None:
        return ending.done("the host is what the record says", release=record.release if record else None)
    message = f"the host is not what the record says; walking back from {at}"
    session.log.event("interrupted.found", "warning", message=message)
    return _repaired(walked_back(session))


def _repaired(end: Ending) -> Ending:
    """The previous release serving again is what `recover` was asked for."""
    if end.outcome != "previous-release":
        return end
    return ending.done(end.message, "pharos-hpc status", release=end.release)
