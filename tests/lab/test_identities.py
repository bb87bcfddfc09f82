"""Service identities as useradd makes them."""

from collections.abc import Callable
from pathlib import Path

from fixtures.lab.archives import FIRST
from fixtures.lab.container import Container
from fixtures.lab.site import Administrator, Outside
from fixtures.lab.small_site import SmallSite
from fixtures.site import ACCOUNTS

Qualified = Callable[[int, str, str], None]


def test_identities_have_the_chosen_numbers_and_nothing_to_log_in_with(site: SmallSite, qualified: Qualified) -> None:
    for name, number in ACCOUNTS.items():
        _, _, uid, gid, _, home, shell = site.machine.check("getent", "passwd", name).strip().split(":")
        assert (int(uid), int(gid)) == (number, number)
        assert not site.machine.path(home).exists()
        assert shell.endswith("nologin")
        assert site.machine.check("getent", "shadow", name).split(":")[1][0] in "!*"
        assert site.machine.check("getent", "group", name).split(":")[2:] == [str(number), "\n"]
        assert site.machine.run("su", name, "-c", "true").returncode != 0
    qualified(3, "no shell, no home, locked password, chosen numbers", f"{len(ACCOUNTS)} accounts")


def test_a_number_that_another_account_has_is_refused(
    plain: Container, outside: Outside, releases: dict[str, Path], qualified: Qualified
) -> None:
    operator = Administrator(plain, outside)
    operator.prepare()
    operator.unpack(FIRST, releases[FIRST])
    number = ACCOUNTS["pharos-agent"]
    plain.check("useradd", "--uid", str(number), "somebody")
    passwd = plain.path("/etc/passwd").read_bytes()
    done = operator.pharos(FIRST, "install", expect=1)
    assert "somebody" in done.stdout  # events, since no terminal listens
    assert plain.path("/etc/passwd").read_bytes() == passwd
    qualified(3, "a number that another account has", "refused, nothing changed")
