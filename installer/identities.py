"""The two service identities: what exists is right or refused, what is missing gets the site's numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import attrs

from installer.host.accounts import ACCOUNT_OF, NO_HOME, NO_SHELL, Account, Group, RealAccounts
from installer.site_env import SiteEnv
from states.errors import PharosError, Refused

NO_SHELLS: Final = (NO_SHELL, "/sbin/nologin", "/bin/false", "/usr/bin/false")


@attrs.frozen
class Wanted:
    """One service identity as site.env wants it; `uid_key` and `gid_key` are the keys that say so."""

    name: str
    uid: int
    gid: int
    uid_key: str
    gid_key: str


@attrs.frozen
class Missing:
    """What does not exist yet: groups come first, since an account needs its group."""

    groups: tuple[Wanted, ...]
    users: tuple[Wanted, ...]

    def sentences(self) -> tuple[str, ...]:
        """Return what will be created, one sentence each."""
        groups = (f"group '{each.name}' (gid {each.gid})" for each in self.groups)
        return (*groups, *(f"account '{each.name}' (uid {each.uid}, gid {each.gid})" for each in self.users))


def wanted(site: SiteEnv) -> tuple[Wanted, ...]:
    """Return both identities with the site's numbers."""
    agent, access = ACCOUNT_OF["site-agent"], ACCOUNT_OF["ssh-access"]
    return (
        Wanted(agent, site.site_agent_uid, site.site_agent_gid, "SITE_AGENT_UID", "SITE_AGENT_GID"),
        Wanted(access, site.ssh_access_uid, site.ssh_access_gid, "SSH_ACCESS_UID", "SSH_ACCESS_GID"),
    )


def differences(accounts: RealAccounts, site: SiteEnv) -> tuple[str, ...]:
    """Return one sentence for each thing that exists and is not as site.env wants it; names and numbers both."""
    return tuple(fault for each in wanted(site) for fault in (*_group_faults(accounts, each), *_faults(accounts, each)))


def missing(accounts: RealAccounts, site: SiteEnv) -> Missing:
    """Return what is to be created.

    Raises:
        Refused: something exists and differs; nothing was created.

    """
    if faults := differences(accounts, site):
        hint = "choose other numbers in site.env, or have the existing account removed or changed by its owner"
        message = f"cannot create the service identities: {'; '.join(faults)}"
        raise Refused(message, hint=hint, facts={"differences": list(faults)})
    every = wanted(site)
    groups = tuple(each for each in every if accounts.find_group(each.name) is None)
    return Missing(groups, tuple(each for each in every if accounts.find_user(each.name) is None))


def create(accounts: RealAccounts, absent: Missing) -> tuple[str, ...]:
    """Create what is missing; return one sentence for each thing created.

    An error says in its hint what had been created before it: that stays, and a second run takes it as it is.
    """
    created: list[str] = []
    with told(created):
        for each in absent.groups:
            accounts.create_group(each.name, each.gid)
            created += Missing((each,), ()).sentences()
        for each in absent.users:
            accounts.create_user(each.name, each.uid, each.gid)
            created += Missing((), (each,)).sentences()
    return tuple(created)


@contextmanager
def told(created: list[str] | tuple[str, ...]) -> Iterator[None]:
    """Have an error that happens within say which identities this run created; they are kept."""
    try:
        yield
    except PharosError as error:
        if created and "created" not in error.facts:
            kept = f"created in this run, and kept: {', '.join(created)}"
            error.hint = f"{error.hint}; {kept}" if error.hint else kept
            error.facts = {**error.facts, "created": list(created)}
        raise


def _group_faults(accounts: RealAccounts, each: Wanted) -> Iterator[str]:
    by_name, by_number = accounts.find_group(each.name), accounts.find_gid(each.gid)
    if by_name and by_name.gid != each.gid:
        yield f"group '{each.name}' has gid {by_name.gid}, {each.gid_key} is {each.gid}"
    if by_number and by_number.name != each.name:
        yield f"gid {each.gid} ({each.gid_key}) belongs to group '{by_number.name}'"
    if by_name and (others := _others(by_name, each)):
        yield f"group '{each.name}' has members: {', '.join(others)}"


def _others(group: Group, each: Wanted) -> list[str]:
    return [name for name in group.members if name != each.name]


def _faults(accounts: RealAccounts, each: Wanted) -> Iterator[str]:
    by_name, by_number = accounts.find_user(each.name), accounts.find_uid(each.uid)
    if by_number and by_number.name != each.name:
        yield f"uid {each.uid} ({each.uid_key}) belongs to account '{by_number.name}'"
    if by_name:
        yield from _account_faults(accounts, by_name, each)


def _account_faults(accounts: RealAccounts, found: Account, each: Wanted) -> Iterator[str]:
    subject = f"account '{each.name}' has"
    if found.uid != each.uid:
        yield f"{subject} uid {found.uid}, {each.uid_key} is {each.uid}"
    if found.gid != each.gid:
        yield f"{subject} primary gid {found.gid}, {each.gid_key} is {each.gid}"
    if found.shell not in NO_SHELLS:
        yield f"{subject} login shell '{found.shell}', required is {NO_SHELL}"
    if found.home != NO_HOME and accounts.has_home(found):
        yield f"{subject} home directory '{found.home}', required is none ({NO_HOME})"
    if groups := [name for name in accounts.memberships(each.name) if name != each.name]:
        yield f"{subject} supplementary groups: {', '.join(groups)}"
    if accounts.has_password(each.name):
        yield f"{subject} a password, required is none"
