"""The accounts port: what NSS says of accounts and groups (getent(1)), and the two service accounts made for real."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import attrs

from installer.host.process import Completed, Identity, find, must, run, start
from installer.paths import Paths
from states.errors import HostError

ACCOUNT_OF: Final = {"site-agent": "pharos-agent", "ssh-access": "pharos-ssh-access"}
NO_SHELL: Final = "/usr/sbin/nologin"
NO_HOME: Final = "/nonexistent"
SECONDS: Final = 60.0  # for one question to NSS, which may have to ask a directory
NOT_FOUND: Final = 2  # getent(1): a key was not found
WORKS: Final = "import encodings.idna, hashlib, json, socket, ssl; ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)"


@attrs.frozen
class Account:
    """An account as NSS knows it (passwd(5))."""

    name: str
    uid: int
    gid: int
    home: str
    shell: str


@attrs.frozen
class Group:
    """A group as NSS knows it (group(5))."""

    name: str
    gid: int
    members: tuple[str, ...]


@attrs.frozen
class RealAccounts:
    """Accounts of the host below `paths`; every effect is a program of the operating system."""

    paths: Paths

    def find_user(self, name: str) -> Account | None:
        """Return the account of that name, wherever it comes from."""
        return _account(self._getent("passwd", name))

    def find_uid(self, number: int) -> Account | None:
        """Return the account that has this uid."""
        return _account(self._getent("passwd", str(number)))

    def find_group(self, name: str) -> Group | None:
        """Return the group of that name."""
        return _group(self._getent("group", name))

    def find_gid(self, number: int) -> Group | None:
        """Return the group that has this gid."""
        return _group(self._getent("group", str(number)))

    def memberships(self, name: str) -> tuple[str, ...]:
        """Return the groups that list the account, among those that NSS enumerates."""
        rows = map(_group, must(self._ask("group"), "list the groups").stdout.splitlines())
        return tuple(group.name for group in rows if group and name in group.members)

    def listed(self, database: str) -> str:
        """Return the rows of `passwd` or `group` that NSS enumerates; a directory may be set not to."""
        return must(self._ask(database), f"list {database}").stdout

    def has_password(self, name: str) -> bool:
        """Return whether one can log in with a password (shadow(5): none begins with '!' or '*'); only root is told."""
        row = self._getent("shadow", name).split(":")
        return len(row) > 1 and not row[1].startswith(("!", "*"))

    def has_home(self, account: Account) -> bool:
        """Return whether the account's home directory exists."""
        return os.path.lexists(self.paths.root / account.home.lstrip("/"))

    def create_group(self, name: str, gid: int) -> None:
        """Create a group with this number (groupadd(8)); raise `HostError` when the host refuses."""
        done = run([find(self.paths, "groupadd"), "--gid", str(gid), name], seconds=SECONDS)
        must(done, f"create group '{name}' with gid {gid}")
        if (found := self.find_group(name)) is None or found.gid != gid:
            raise HostError(f"cannot find group '{name}' with gid {gid} after its creation: NSS answers {found}")

    def create_user(self, name: str, uid: int, gid: int) -> None:
        """Create an account with these numbers that nobody can log in to (useradd(8)).

        `--system` beside explicit numbers changes none of them; it means no subordinate ids, no mailbox and no ageing,
        with every version of useradd. `--no-log-init`: lastlog would grow with the uid. `--groups ""` overrides
        a default of the host.

        Raises:
            HostError: the host refuses, or NSS then says otherwise.

        """
        numbers = ["--uid", str(uid), "--gid", str(gid), "--no-user-group", "--groups", ""]
        nothing = ["--system", "--no-log-init", "--no-create-home", "--home-dir", NO_HOME, "--shell", NO_SHELL]
        done = run([find(self.paths, "useradd"), *numbers, *nothing, name], seconds=SECONDS)
        must(done, f"create account '{name}' with uid {uid}")
        wanted = Account(name, uid, gid, NO_HOME, NO_SHELL)
        if (found := self.find_user(name)) != wanted:
            raise HostError(f"cannot find account '{name}' as created: NSS answers {found} instead of {wanted}")

    def unable(self, release: str, components: Collection[str]) -> tuple[str, ...]:
        """Return one sentence for each component whose interpreter does not work as its service identity."""
        return tuple(fault for ended in self.start_trials(release, components) for fault in ended())

    def start_trials(self, release: str, components: Collection[str]) -> list[Callable[[], tuple[str, ...]]]:
        """Start each component's interpreter as its service identity; each result says what is wrong with it."""
        directory = self.paths.release(release)
        return [self._start_trial(directory / name, ACCOUNT_OF[name]) for name in components]

    def _start_trial(self, environment: Path, name: str) -> Callable[[], tuple[str, ...]]:
        account = self.find_user(name)
        if account is None:
            return lambda: (f"account '{name}' does not exist",)
        identity = acting_as(account.uid, account.gid)
        try:
            ended = start([environment / "bin/python", "-I", "-c", WORKS], seconds=SECONDS, identity=identity)
        except HostError as error:
            return lambda message=error.message: (message,)  # type: ignore[misc]
        return lambda: _trial(ended, name)

    def _getent(self, database: str, key: str) -> str:
        """Return the row of a key; an empty text when there is none."""
        done = self._ask(database, key)
        if done.status == NOT_FOUND:
            return ""
        return must(done, f"look up '{key}' in {database}").stdout.partition("\n")[0]

    def _ask(self, database: str, *keys: str) -> Completed:
        return run([find(self.paths, "getent"), database, *keys], seconds=SECONDS)


def _trial(ended: Callable[[], Completed], name: str) -> tuple[str, ...]:
    try:
        must(ended(), f"run Python as '{name}'")
    except HostError as error:
        return (error.message,)
    return ()


def acting_as(uid: int, gid: int) -> Identity | None:
    """Return the identity to run a program as; None, the caller's own, for whoever may not take another (a sandbox)."""
    return Identity(uid, gid) if os.geteuid() == 0 else None


def _account(row: str) -> Account | None:
    if not row:
        return None
    name, _, uid, gid, _, home, shell = row.split(":")
    return Account(name, int(uid), int(gid), home, shell)


def _group(row: str) -> Group | None:
    if not row:
        return None
    name, _, gid, members = row.split(":")
    return Group(name, int(gid), tuple(filter(None, members.split(","))))
