"""`prune --keep N`: remove releases that are neither current nor previous, all but the N newest."""

from argparse import Namespace

from installer import exits
from installer.answer import say
from installer.ending import Ending, done
from installer.environment import Caller
from installer.paths import Paths
from installer.releases import prunable, prune
from installer.session import Manner, Session, run
from states.errors import Refused


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    if args.plan:
        names = spare(caller.paths, args.keep)
        say(args, {"steps": list(names)}, [*(f"remove release '{name}'" for name in names), "nothing was changed"])
        return exits.DONE
    return run(caller, "prune", lambda session: pruned(session, args.keep), Manner(args.wait, args.json))


def pruned(session: Session, keep: int) -> Ending:
    """Remove the spare releases, each one whole."""
    names = spare(session.paths, keep)
    with session.doing(f"removal of {len(names)} releases"):
        prune(session.paths, names)
    return done(f"removed {len(names)} releases: {' '.join(names) or 'none'}", "pharos-hpc releases")


def spare(paths: Paths, keep: int) -> tuple[str, ...]:
    """Return the releases that may go, oldest first."""
    if keep < 0:
        raise Refused(f"cannot keep {keep} releases", hint="--keep takes 0 or more")
    return prunable(paths, keep)
