"""An account that only the central directory has is as much in the way as a local one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.lab.archives import FIRST
from fixtures.lab.container import Container
from fixtures.lab.site import TOKENS, Administrator, Outside
from fixtures.site import ACCOUNTS
from tests.lab.waiting import until

Qualified = Callable[[int, str, str], None]
SET_UP = Path(__file__).parents[2] / "fixtures/lab/accounts.sh"
PERSON = """
dn: uid={name},dc=nodomain
objectClass: account
objectClass: posixAccount
uid: {name}
cn: {name}
uidNumber: {number}
gidNumber: {number}
homeDirectory: /home/{name}
"""
COLLISIONS = {
    "the number of a service account": ("somebody", ACCOUNTS["pharos-agent"]),
    "the name of a service account": ("pharos-ssh-access", 70001),
}


@pytest.mark.parametrize("what", COLLISIONS)
def test_a_collision_with_an_account_of_the_directory_is_refused(
    plain: Container, outside: Outside, releases: dict[str, Path], qualified: Qualified, what: str
) -> None:
    name, number = COLLISIONS[what]
    plain.path("/root/people.ldif").write_text(PERSON.format(name=name, number=number))
    plain.check("sh", "-s", "/root/people.ldif", input=SET_UP.read_text())
    until(lambda: plain.run("getent", "passwd", name).returncode == 0)
    operator = Administrator(plain, outside)
    operator.prepare()
    operator.unpack(FIRST, releases[FIRST])
    before = plain.path("/etc/passwd").read_bytes()
    checked = operator.pharos(FIRST, "check", "--json", "--tokens", TOKENS, expect=1)
    assert name in checked.stdout
    assert name in operator.pharos(FIRST, "install", expect=1).stdout
    assert plain.path("/etc/passwd").read_bytes() == before
    assert not plain.path("/opt/pharos-hpc/releases").exists()
    qualified(3, f"a directory account has {what}", "refused by check and install, nothing changed")
