"""Whoever may write accounts cannot write keys, and whoever may write keys cannot write accounts."""

from collections.abc import Callable

import pytest

from fixtures.lab.container import Container
from fixtures.lab.native import BASE, set_up

Qualified = Callable[[int, str, str], None]
REFUSED = 50  # insufficientAccessRights
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHVzZWxlc3NrZXl1c2VsZXNza2V5dXNlbGVzc2tleTAw a@b"
DN = f"uid=aexample,ou=people,{BASE}"
PERSON = f"""dn: {DN}
objectClass: inetOrgPerson
objectClass: posixAccount
objectClass: ldapPublicKey
cn: Alice
sn: Example
uidNumber: 10000
gidNumber: 5550000
homeDirectory: /home/aexample
"""
GROUP = f"dn: cn=a_other,ou=groups,{BASE}\nobjectClass: posixGroup\ngidNumber: 5550009\n"
SERVICE = f"cn=pharos-agent,ou=services,{BASE}"
SITE_AGENT = ("-x", "-H", "ldap://127.0.0.1", "-D", SERVICE, "-w", "agent-bind-password")
SSH_ACCESS = ("-Q", "-Y", "EXTERNAL", "-H", "ldapi:///")
UIDS = {SITE_AGENT: 61001, SSH_ACCESS: 61002}


def _change(*lines: str) -> str:
    return "\n".join((f"dn: {DN}", "changetype: modify", *lines, ""))


def _added(entry: str, *lines: str) -> str:
    head, _, rest = entry.partition("\n")
    return "\n".join((head, "changetype: add", rest + "\n".join(lines)))


OTHER = PERSON.replace("aexample", "other").replace("10000", "10001")
NOT_BY_THE_SITE_AGENT = {
    "a key": _change("add: sshPublicKey", f"sshPublicKey: {KEY}"),
    "no more keys": _change("replace: sshPublicKey"),
    "a new person with a key": _added(OTHER, f"sshPublicKey: {KEY}"),
    "another service": _added(f"dn: cn=other,ou=services,{BASE}\nobjectClass: organizationalRole\n"),
    "its own password": f"dn: {SERVICE}\nchangetype: modify\nreplace: userPassword\nuserPassword: x\n",
}
NOT_BY_THE_ACCESS_AGENT = {
    "a shell": _change("replace: loginShell", "loginShell: /bin/sh"),
    "a number": _change("replace: uidNumber", "uidNumber: 0"),
    "a home": _change("replace: homeDirectory", "homeDirectory: /"),
    "an object class": _change("add: objectClass", "objectClass: shadowAccount"),
    "a password": _change("add: userPassword", "userPassword: secret"),
    "a key and a shell": _change("add: sshPublicKey", f"sshPublicKey: {KEY}", "-", "add: loginShell", "loginShell: /x"),
    "a new person": _added(OTHER),
    "a new group": _added(GROUP),
    "a person's end": f"dn: {DN}\nchangetype: delete\n",
    "a person's name": f"dn: {DN}\nchangetype: modrdn\nnewrdn: uid=root\ndeleteoldrdn: 1\n",
}


@pytest.fixture
def directory(machine: Container) -> Container:
    """Give a machine with the directory, and a person in it whom the site agent made and who has a key."""
    for number in UIDS.values():
        machine.check("useradd", "--uid", str(number), "--user-group", "--no-create-home", f"user{number}")
    set_up(machine, "directory")
    assert _tried(machine, SITE_AGENT, _added(PERSON)) == 0
    assert _tried(machine, SSH_ACCESS, _change("add: sshPublicKey", f"sshPublicKey: {KEY}")) == 0
    return machine


def test_each_writer_is_refused_all_that_is_not_its_own(directory: Container, qualified: Qualified) -> None:
    before = directory.check("slapcat", "-f", "/etc/ldap/slapd.conf")
    for who, what in ((SITE_AGENT, NOT_BY_THE_SITE_AGENT), (SSH_ACCESS, NOT_BY_THE_ACCESS_AGENT)):
        assert {name: _tried(directory, who, ldif) for name, ldif in what.items()} == dict.fromkeys(what, REFUSED)
    assert directory.check("slapcat", "-f", "/etc/ldap/slapd.conf") == before
    qualified(9, "the site agent's bind cannot write sshPublicKey", f"{len(NOT_BY_THE_SITE_AGENT)} attempts refused")
    qualified(9, "the access agent can write nothing else", f"{len(NOT_BY_THE_ACCESS_AGENT)} attempts refused")


def test_another_user_and_root_write_no_key(directory: Container) -> None:
    key = _change("replace: sshPublicKey")
    for number in (0, UIDS[SITE_AGENT]):
        assert _tried(directory, SSH_ACCESS, key, number) == REFUSED


def test_the_access_agent_revokes_a_key(directory: Container) -> None:
    assert _tried(directory, SSH_ACCESS, _change("replace: sshPublicKey")) == 0


def _tried(machine: Container, who: tuple[str, ...], ldif: str, number: int | None = None) -> int:
    """Return the LDAP result code of a change."""
    user = str(UIDS[who] if number is None else number)
    identity = ("setpriv", "--reuid", user, "--regid", user, "--clear-groups")
    return machine.run(*identity, "ldapmodify", *who, input=ldif).returncode
