"""`activate`: verify, then the machine of states/activation.py, then the record; or back."""

from argparse import Namespace

from installer import ending
from installer.bundle import own_release
from installer.commands.planned import told_plan
from installer.ending import Ending
from installer.environment import Caller
from installer.session import Manner, Session, run
from installer.site import load_site
from installer.site_env import SiteEnv
from states.errors import Refused
from states.machine import Activation
from states.unit import SSH_ACCESS, instance
from states.verify import Request, verify


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    release = args.release or own_release(args.program)
    if args.plan:
        return told_plan(caller, args, lambda session: request(session, release, args))
    manner = Manner(args.wait, args.json, remedies=args.no_way_back)
    return run(caller, "activate", lambda session: activate(session, release, args), manner)


def activate(session: Session, release: str, args: Namespace) -> Ending:
    """Bring the release to recorded, or come back."""
    return perform(session, request(session, release, args))


def perform(session: Session, asked: Request) -> Ending:
    """Verify what is asked for and run the machine; `rollback` and `stop` come here too."""
    session.log.bind(release=asked.release)
    with session.doing("verification"):
        plan = verify(asked, session.host)
    session.log.bind(previous=plan.back.outgoing.id if plan.back.outgoing else None)
    return ending.of(Activation(session.host, plan, session.log.observe).run())


def request(session: Session, release: str, args: Namespace) -> Request:
    """Return what is asked for: the given components, or the site's, in the site's modes."""
    from installer.host.commit import is_configured

    if faults := is_configured(session.paths):
        raise Refused(f"cannot activate: {faults[0]}", hint="pharos-hpc configure", facts={"faults": list(faults)})
    site = load_site(session.paths)
    components = tuple(dict.fromkeys(args.components)) or site.activation_components
    return asked(session, release, components, units_of(components, site), no_way_back=args.no_way_back)


def asked(
    session: Session,
    release: str,
    components: tuple[str, ...],
    units: tuple[str, ...],
    *,
    running: bool = True,
    no_way_back: bool = False,
) -> Request:
    """Return a request with the session's time, operator and transaction."""
    by, at = session.caller.operator, session.at
    return Request(release, components, units, running, at, by, session.transaction, no_way_back)


def units_of(components: tuple[str, ...], site: SiteEnv) -> tuple[str, ...]:
    """Return the units that run these components, in the fixed order."""
    agents = tuple(instance(mode) for mode in site.site_agent_modes) if "site-agent" in components else ()
    return (*agents, SSH_ACCESS) if "ssh-access" in components else agents
