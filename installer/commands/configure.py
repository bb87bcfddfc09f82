"""`configure`: the agents' configuration, adopted secrets, public CAs, the offering's components; all or none."""

from argparse import Namespace

from installer import exits
from installer.answer import say
from installer.bundle import own_release
from installer.configure import configure, plan_configure
from installer.ending import Ending, done
from installer.environment import Caller
from installer.session import Manner, Session, run
from installer.site import load_site_bytes
from installer.site_env import read_site_env
from installer.terminal import sentence
from states.errors import PharosError


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    if args.plan:
        return planned(args, caller)
    manner = Manner(args.wait, args.json, remedies=True)
    return run(caller, "configure", lambda session: configured(session, args), manner)


def configured(session: Session, args: Namespace) -> Ending:
    """Write what the site's values and private inputs make of the configuration."""
    release = own_release(args.program)
    session.log.bind(release=release)
    text = load_site_bytes(session.paths)
    site = read_site_env(text, str(session.paths.site_env))
    changed = configure(session.paths, site, text, release, args.tokens, session.doing)
    what = f"changed: {' '.join(changed)}" if changed else "nothing had to be changed"
    return done(f"configured for release '{release}'; {what}", "pharos-hpc activate", release=release)


def planned(args: Namespace, caller: Caller) -> int:
    """Print what would be written, by name and mode."""
    try:
        text = load_site_bytes(caller.paths)
        site = read_site_env(text, str(caller.paths.site_env))
        steps = plan_configure(caller.paths, site, text, own_release(args.program), args.tokens)
    except PharosError as error:
        say(args, {"refused": error.message, "hint": error.hint}, [sentence(error)])
        return exits.REFUSED
    say(args, {"steps": list(steps)}, [*steps, "nothing was changed"])
    return exits.DONE
