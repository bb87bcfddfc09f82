"""The Site API behind its edge: who answers, who is let in, and that nobody is sent to a page."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from fixtures.central import Central
from tests.checks.conftest import Checked

SSH_ACCESS = "/v1/site/ssh-access/"
COMMANDS = "/v1/site/commands/"
Change = Callable[[Central], object]


def grants(site: Checked, names: Iterable[str]) -> str:
    """Give a directory of grants as `--grants` takes it."""
    directory = site.directory / "grants"
    directory.mkdir(exist_ok=True)
    for name in names:
        (directory / name).write_text(site.central.grants[name] + "\n")
    return str(directory)


def test_a_good_edge_has_no_finding(site: Checked) -> None:
    assert site.found("edge") == {}
    assert {row["path"] for row in site.central.requests("site-api")} == {SSH_ACCESS, COMMANDS}


FAULTS: dict[str, tuple[Change, str, str]] = {
    "foreign-ca": (lambda c: c.present("site-api", "foreign-ca"), "PH-EDGE-02", "certificate verify failed"),
    "self-signed": (lambda c: c.present("site-api", "self-signed"), "PH-EDGE-02", "self-signed"),
    "wrong-host": (lambda c: c.present("site-api", "wrong-host"), "PH-EDGE-03", "localhost"),
    "expired": (lambda c: c.present("site-api", "expired"), "PH-EDGE-04", "expired"),
    "dropped": (lambda c: c.drop("site-api", "/"), "PH-EDGE-01", "cannot reach"),
    "huge": (lambda c: c.answer_json("site-api", "/", '"' + "x" * 2_000_000 + '"'), "PH-EDGE-06", "1048576"),
    "login": (lambda c: c.redirect("site-api", "/", "https://login.example.org/"), "PH-EDGE-07", "login.example.org"),
    "page": (lambda c: c.answer_html("site-api", "/"), "PH-EDGE-08", "text/html"),
    "gateway-404": (lambda c: c.fail_with_page("site-api", "/", 404), "PH-EDGE-08", "text/html"),
    "gateway-502": (lambda c: c.fail_with_page("site-api", "/"), "PH-EDGE-09", "nothing runs behind it"),
    "empty": (lambda c: c.answer_json("site-api", "/", ""), "PH-EDGE-70", "without a byte"),
    "truncated": (lambda c: c.answer_json("site-api", "/", '{"uuid": "0'), "PH-EDGE-71", "of 11 bytes"),
    "cut": (lambda c: c.cut("site-api", "/"), "PH-EDGE-71", "without sending complete"),
    "plain": (lambda c: c.speak_plainly("site-api"), "PH-EDGE-72", "SSL"),
    "drip": (lambda c: c.drip("site-api", "/", 30), "PH-EDGE-06", "in time"),
    "stall": (lambda c: c.stall("site-api", "/", 30), "PH-EDGE-01", "timed out"),
    "open": (lambda c: c.answer_json("site-api", COMMANDS, "{}"), "PH-EDGE-10", "status 200"),
    "grant-revoked": (lambda c: c.revoke_grant("ssh-access"), "PH-EDGE-11", "status 401"),
    "grant-expired": (lambda c: c.expire_grant("ssh-access"), "PH-EDGE-11", "status 401"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_of_the_edge_has_its_own_code(site: Checked, name: str) -> None:
    change, code, words = FAULTS[name]
    change(site.central)
    found = site.found("edge")
    assert set(found) == {code}
    assert words in found[code]


def test_all_grants_of_a_good_edge_are_judged_rightly(site: Checked) -> None:
    names = ("ssh-access", "commands", "expired", "revoked", "other-site")
    assert site.found("edge", "--grants", grants(site, names)) == {}
    assert len(site.central.requests("site-api")) == 3 + 7 + 2


WRONG: dict[str, tuple[tuple[str, ...], Change, str]] = {
    "valid refused": (("commands",), lambda c: c.revoke_grant("commands"), "PH-EDGE-20"),
    "page for a valid grant": (("commands",), lambda c: c.answer_html("site-api", COMMANDS), "PH-EDGE-20"),
    "page for no grant": (("commands",), lambda c: c.answer_html("site-api", COMMANDS, 401), "PH-EDGE-21"),
    "expired let in": (("expired",), lambda c: c.answer_json("site-api", SSH_ACCESS, "{}"), "PH-EDGE-22"),
    "revoked let in": (("revoked",), lambda c: c.revoke_grant("revoked", revoked=False), "PH-EDGE-23"),
    "scope let in": (("commands",), lambda c: c.answer_json("site-api", SSH_ACCESS, "{}"), "PH-EDGE-24"),
    "site taken for ours": (
        ("other-site",),
        lambda c: c.answer_json("site-api", SSH_ACCESS, '{"site": "icarus"}'),
        "PH-EDGE-25",
    ),
    "login for a grant": (("expired",), lambda c: c.redirect("site-api", SSH_ACCESS, "/login"), "PH-EDGE-22"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_edge_that_lets_the_wrong_in_is_told(site: Checked, name: str) -> None:
    files, change, code = WRONG[name]
    change(site.central)
    assert code in site.found("edge", "--grants", grants(site, files))


def test_an_unknown_file_among_the_grants_is_named(site: Checked) -> None:
    directory = Path(grants(site, ("commands",)))
    (directory / "notes.txt").write_text("mine")
    assert "notes.txt" in site.found("edge", "--grants", str(directory))["PH-EDGE-26"]


def test_grants_that_cannot_be_used_keep_nothing_else_from_being_asked(site: Checked) -> None:
    site.central.revoke_grant("ssh-access")
    found = site.found("edge", "--grants", str(site.directory / "none"))
    assert set(found) == {"PH-EDGE-26", "PH-EDGE-11"}
