"""`rollback`: the same machine towards `previous`, or a named installed release, with the recorded components."""

from argparse import Namespace

from installer.commands.activate import asked, perform
from installer.commands.planned import told_plan
from installer.ending import Ending
from installer.environment import Caller
from installer.session import Manner, Session, run
from states.errors import Refused
from states.plan import Record
from states.verify import Request


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    if args.plan:
        return told_plan(caller, args, lambda session: request(session, args))
    manner = Manner(args.wait, args.json, remedies=args.no_way_back)
    return run(caller, "rollback", lambda session: rollback(session, args), manner)


def rollback(session: Session, args: Namespace) -> Ending:
    """Bring the release before back."""
    return perform(session, request(session, args))


def request(session: Session, args: Namespace) -> Request:
    """Return what is asked for: the recorded components and units, from the release before."""
    record = recorded(session)
    release = args.release or record.previous
    if release is None:
        raise Refused("cannot roll back: no release was active before", hint="name one: pharos-hpc releases")
    return asked(session, release, record.components, record.units, no_way_back=args.no_way_back)


def recorded(session: Session) -> Record:
    """Return the record; raise `Refused` when there is none."""
    record = session.host.files.record()
    if record is None:
        raise Refused("cannot do that: no release has been activated yet", hint="pharos-hpc activate")
    return record
