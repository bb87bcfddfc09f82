"""`install`: the service identities, and one immutable release; starts nothing."""

from argparse import Namespace

import attrs

from installer import exits
from installer.answer import say
from installer.archive import Archive, is_staged, open_archive
from installer.ending import Ending, done
from installer.environment import Caller
from installer.host.accounts import RealAccounts
from installer.identities import create, missing, told
from installer.origin import candidate, enforce, origin
from installer.session import Manner, Session, run
from installer.site import load_site_bytes
from installer.site_env import SiteEnv, read_site_env
from installer.stageable import faults
from installer.staging import stage
from installer.terminal import sentence
from states.errors import PharosError, Refused


def main(args: Namespace, caller: Caller) -> int:
    """Run the command and return its exit code."""
    if args.plan:
        return planned(args, caller)
    return run(caller, "install", lambda session: install(session, args), Manner(args.wait, args.json, remedies=True))


def install(session: Session, args: Namespace) -> Ending:
    """Create what is missing of the identities, then stage the release; a fast no-op when it is there."""
    site, site_env, archive = inputs(session.caller, args)
    release = archive.manifest.release
    session.log.bind(release=release)
    accounts = RealAccounts(session.paths)
    absent = missing(accounts, site)
    found = origin(candidate(args, session.caller), archive)
    enforce(found, site.archive_trust, session.paths)
    if is_staged(session.paths, archive, site_env) and not absent.users:
        return done(f"release '{release}' is installed already", "pharos-hpc configure", release=release)
    with session.doing("the archive, the interpreter and the space"):
        _refuse(release, faults(session.paths, site, archive))
    with session.doing("service identities"):
        created = create(accounts, absent)
    with told(created):
        if not is_staged(session.paths, archive, site_env):
            stage(session.paths, site, attrs.evolve(archive, signature=found), site_env, session.doing)
    return done(f"release '{release}' is installed", "pharos-hpc configure TOKEN_DIRECTORY", release=release)


def inputs(caller: Caller, args: Namespace) -> tuple[SiteEnv, bytes, Archive]:
    """Return site.env, its bytes, and the archive that this program lies in."""
    archive = open_archive(args.program.parent)
    site_env = load_site_bytes(caller.paths)
    return read_site_env(site_env, str(caller.paths.site_env)), site_env, archive


def _refuse(release: str, found: tuple[str, ...]) -> None:
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        message = f"cannot install release '{release}': {found[0]}{more}"
        raise Refused(message, hint="nothing was changed; pharos-hpc check", facts={"faults": list(found)})


def planned(args: Namespace, caller: Caller) -> int:
    """Print what would be created and staged."""
    try:
        site, site_env, archive = inputs(caller, args)
        absent = missing(RealAccounts(caller.paths), site)
        there = is_staged(caller.paths, archive, site_env)
        found = () if there else faults(caller.paths, site, archive)
    except PharosError as error:
        say(args, {"refused": error.message, "hint": error.hint}, [sentence(error)])
        return exits.REFUSED
    where = caller.paths.release(archive.manifest.release)
    steps = [f"create {each}" for each in absent.sentences()] + ([] if there else [f"stage '{where}'"])
    say(
        args,
        {"steps": steps, "refused": list(found)},
        [*(f"refused: {each}" for each in found), *steps, "nothing was changed"],
    )
    return exits.REFUSED if found else exits.DONE
