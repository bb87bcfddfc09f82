"""`stop`: the same machine with nothing to run; releases, configuration and secrets stay."""

from argparse import Namespace

from installer.commands.activate import asked, perform
from installer.commands.planned import told_plan
from installer.commands.rollback import recorded
from installer.ending import Ending
from installer.environment import Caller
from installer.session import Manner, Session, run
from states.errors import Refused
from states.verify import Request


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    if args.plan:
        return told_plan(caller, args, request)
    return run(caller, "stop", stop, Manner(args.wait, args.json, remedies=True))


def stop(session: Session) -> Ending:
    """Stop and disable the site's units, and record that."""
    return perform(session, request(session))


def request(session: Session) -> Request:
    """Return what is asked for: the recorded release, not running."""
    record = recorded(session)
    try:
        session.host.files.release(record.release)
    except Refused as error:
        by_hand = f"systemctl disable --now {' '.join(record.units)}"
        hint = f"install that release again; or by hand: {by_hand}"
        raise Refused(f"cannot stop: {error.message}", hint=hint) from error
    return asked(session, record.release, record.components, record.units, running=False)
