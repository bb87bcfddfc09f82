"""`prune --keep N`: remove releases that are neither current nor previous, all but the N newest."""

from argparse import Namespace

from installer import exits
from installer.answer import say
from installer.ending import Ending, done
from installer.environment import Caller
from installer.host.shelf import foreign, leftovers
from installer.paths import Paths
from installer.releases import in_use, prunable, prune
from installer.session import Manner, Session, run
from states.errors import Refused


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    if args.plan:
        return planned(args, caller)
    return run(caller, "prune", lambda session: pruned(session, args.keep), Manner(args.wait, args.json))


def planned(args: Namespace, caller: Caller) -> int:
    """Print what would be removed, by name."""
    names = spare(caller.paths, args.keep)
    left = [str(path) for path in leftovers(caller.paths) if path.name not in in_use(caller.paths)]
    told = (
        *(f"remove release '{name}'" for name in names),
        *(f"remove '{path}', left by a killed run" for path in left),
    )
    say(args, {"steps": list(names), "leftovers": left}, [*told, "nothing was changed"])
    return exits.DONE


def pruned(session: Session, keep: int) -> Ending:
    """Remove the spare releases, each one whole."""
    names = spare(session.paths, keep)
    with session.doing(f"removal of {len(names)} releases"):
        left = prune(session.paths, names)
    told = f"; and what killed runs left: {' '.join(left)}" if left else ""
    kept = [f"'{path}'" for path in foreign(session.paths)]
    hint = f"no release, and left alone: {' '.join(kept)}" if kept else "pharos-hpc releases"
    return done(f"removed {len(names)} releases: {' '.join(names) or 'none'}{told}", hint)


def spare(paths: Paths, keep: int) -> tuple[str, ...]:
    """Return the releases that may go, oldest first."""
    if keep < 0:
        raise Refused(f"cannot keep {keep} releases", hint="--keep takes 0 or more")
    return prunable(paths, keep)
