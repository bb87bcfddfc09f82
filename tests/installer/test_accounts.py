"""Accounts through the sandbox's getent and the machine's real useradd and groupadd, confined to the sandbox."""

from pathlib import Path

import attrs
import pytest

from fixtures.sandbox import Sandbox, make_sandbox
from fixtures.small_release import install_small_release
from installer.host.accounts import Account, Group, RealAccounts
from installer.identities import create, differences, missing, told
from installer.paths import Paths
from installer.site_env import SiteEnv, read_site_env
from installer.site_env_text import example
from states.errors import HostError, Refused

SITE = read_site_env(example(), "site.env")
CREATED = (
    "group 'pharos-agent' (gid 61001)",
    "group 'pharos-ssh-access' (gid 61002)",
    "account 'pharos-agent' (uid 61001, gid 61001)",
    "account 'pharos-ssh-access' (uid 61002, gid 61002)",
)


@pytest.fixture
def box(sandbox_dir: Path) -> Sandbox:
    return make_sandbox(sandbox_dir)


@pytest.fixture
def accounts(box: Sandbox) -> RealAccounts:
    return RealAccounts(Paths(box.root))


def _write(box: Sandbox, name: str, line: str) -> None:
    with box.path(f"/etc/{name}").open("a") as file:
        file.write(f"{line}\n")


def _row(box: Sandbox, name: str, account: str) -> str:
    rows = box.path(f"/etc/{name}").read_text().splitlines()
    return next(row for row in rows if row.startswith(f"{account}:"))


def test_root_is_found_by_name_and_by_number(accounts: RealAccounts) -> None:
    root = Account("root", 0, 0, "/root", "/bin/sh")
    assert accounts.find_user("root") == accounts.find_uid(0) == root
    assert accounts.find_group("root") == accounts.find_gid(0) == Group("root", 0, ())


def test_what_does_not_exist_is_not_found(accounts: RealAccounts) -> None:
    assert accounts.find_user("nobody-here") is accounts.find_uid(61001) is None
    assert accounts.find_group("nobody-here") is accounts.find_gid(61001) is None


def test_an_account_of_the_directory_is_found_too(box: Sandbox, accounts: RealAccounts) -> None:
    _write(box, "passwd.directory", "member:*:5000001:5500001:A Member:/home/member:/bin/bash")
    found = accounts.find_uid(5000001)
    assert found is not None
    assert found.name == "member"


def test_both_identities_are_created_with_the_sites_numbers(accounts: RealAccounts) -> None:
    absent = missing(accounts, SITE)
    assert absent.sentences() == CREATED
    assert create(accounts, absent) == CREATED
    assert accounts.find_user("pharos-agent") == Account(
        "pharos-agent", 61001, 61001, "/nonexistent", "/usr/sbin/nologin"
    )
    assert missing(accounts, SITE).sentences() == ()


def test_a_created_account_has_no_way_in(box: Sandbox, accounts: RealAccounts) -> None:
    create(accounts, missing(accounts, SITE))
    assert _row(box, "shadow", "pharos-agent").split(":")[1].startswith("!")
    assert not accounts.has_password("pharos-agent")
    assert accounts.memberships("pharos-agent") == ()
    assert not box.path("/nonexistent").exists()
    assert not list(box.path("/var").rglob("pharos-agent"))


def test_numbers_below_uid_max_get_no_subordinate_ids_either(box: Sandbox, accounts: RealAccounts) -> None:
    site = attrs.evolve(SITE, site_agent_uid=2001, site_agent_gid=2001)
    create(accounts, missing(accounts, site))
    found = accounts.find_user("pharos-agent")
    assert found is not None
    assert (found.uid, found.gid) == (2001, 2001)
    assert box.path("/etc/subuid").read_text() == box.path("/etc/subgid").read_text() == ""


def test_an_account_with_a_very_large_number_makes_no_large_file(box: Sandbox, accounts: RealAccounts) -> None:
    site = attrs.evolve(SITE, site_agent_uid=2_000_000_000, site_agent_gid=2_000_000_000)
    create(accounts, missing(accounts, site))
    sizes = [path.stat().st_size for path in box.path("/var").rglob("*") if path.is_file()]
    assert max(sizes, default=0) < 1_000_000


@pytest.mark.parametrize(
    ("file", "line", "fault"),
    [
        ("group", "pharos-agent:x:61009:", "group 'pharos-agent' has gid 61009, SITE_AGENT_GID is 61001"),
        ("group", "other:x:61001:", "gid 61001 (SITE_AGENT_GID) belongs to group 'other'"),
        ("group.directory", "members:*:61002:", "gid 61002 (SSH_ACCESS_GID) belongs to group 'members'"),
        ("group", "pharos-agent:x:61001:eve,mallory", "group 'pharos-agent' has members: eve, mallory"),
        ("passwd", "other:x:61001:1::/:/bin/sh", "uid 61001 (SITE_AGENT_UID) belongs to account 'other'"),
        ("passwd.directory", "eve:*:61002:1::/:/bin/sh", "uid 61002 (SSH_ACCESS_UID) belongs to account 'eve'"),
        (
            "passwd",
            "pharos-agent:x:61009:61001::/nonexistent:/sbin/nologin",
            "account 'pharos-agent' has uid 61009, SITE_AGENT_UID is 61001",
        ),
        (
            "passwd",
            "pharos-agent:x:61001:100::/nonexistent:/sbin/nologin",
            "account 'pharos-agent' has primary gid 100, SITE_AGENT_GID is 61001",
        ),
        (
            "passwd",
            "pharos-agent:x:61001:61001::/nonexistent:/bin/bash",
            "account 'pharos-agent' has login shell '/bin/bash', required is /usr/sbin/nologin",
        ),
        (
            "passwd",
            "pharos-agent:x:61001:61001::/root:/sbin/nologin",
            "account 'pharos-agent' has home directory '/root', required is none (/nonexistent)",
        ),
    ],
)
def test_what_exists_and_differs_is_refused_before_anything_is_created(
    box: Sandbox, accounts: RealAccounts, file: str, line: str, fault: str
) -> None:
    _write(box, file, line)
    assert differences(accounts, SITE) == (fault,)
    with pytest.raises(Refused, match="cannot create the service identities: "):
        missing(accounts, SITE)
    assert accounts.find_user("pharos-ssh-access") is None


def test_a_password_and_supplementary_groups_are_refused(box: Sandbox, accounts: RealAccounts) -> None:
    create(accounts, missing(accounts, SITE))
    shadow = box.path("/etc/shadow")
    row = _row(box, "shadow", "pharos-agent")
    shadow.write_text(shadow.read_text().replace(row, "pharos-agent:$y$j9T$abc$def:20000::::::"))
    _write(box, "group", "wheel:x:10:pharos-agent")
    assert differences(accounts, SITE) == (
        "account 'pharos-agent' has supplementary groups: wheel",
        "account 'pharos-agent' has a password, required is none",
    )


def test_an_existing_account_that_is_right_is_taken_as_it_is(box: Sandbox, accounts: RealAccounts) -> None:
    _write(box, "group.directory", "pharos-agent:*:61001:")
    _write(box, "passwd.directory", "pharos-agent:*:61001:61001:from LDAP:/var/empty-too:/sbin/nologin")
    assert missing(accounts, SITE).sentences() == (CREATED[1], CREATED[3])


def test_a_failure_says_what_had_been_created(box: Sandbox, accounts: RealAccounts) -> None:
    box.wrap("useradd", 'case "$*" in *pharos-ssh-access) echo "cannot lock" >&2; exit 1;; esac; exec "$real" "$@"')
    with pytest.raises(HostError, match="cannot create account 'pharos-ssh-access' with uid 61002") as caught:
        create(accounts, missing(accounts, SITE))
    assert caught.value.hint == f"created in this run, and kept: {', '.join(CREATED[:3])}"
    box.unwrap("useradd")
    assert create(accounts, missing(accounts, SITE)) == CREATED[3:]


def test_a_later_failure_says_what_had_been_created() -> None:
    def fail() -> None:
        raise HostError("cannot stage", hint="look")

    with pytest.raises(HostError) as caught, told(CREATED[:1]):
        fail()
    assert caught.value.hint == f"look; created in this run, and kept: {CREATED[0]}"


def test_an_account_that_nss_does_not_show_after_its_creation_is_told(box: Sandbox, accounts: RealAccounts) -> None:
    box.wrap("groupadd", "exit 0")
    with pytest.raises(HostError, match="cannot find group 'pharos-agent' with gid 61001 after its creation"):
        create(accounts, missing(accounts, SITE))


def test_an_nss_that_does_not_answer_is_no_missing_account(box: Sandbox, accounts: RealAccounts) -> None:
    box.wrap("getent", "echo 'sssd is down' >&2; exit 3")
    with pytest.raises(HostError, match=r"cannot look up 'pharos-agent' in passwd.*sssd is down"):
        accounts.find_user("pharos-agent")


def test_a_working_interpreter_is_no_fault(box: Sandbox, accounts: RealAccounts, python: Path) -> None:
    _site(accounts)
    install_small_release(Paths(box.root), "1.0", python)
    assert accounts.unable("1.0", ("site-agent", "ssh-access")) == ()


def test_an_interpreter_that_is_gone_is_told_for_each_component(box: Sandbox, accounts: RealAccounts) -> None:
    _site(accounts)
    install_small_release(Paths(box.root), "1.0", box.root / "gone/python3")
    found = accounts.unable("1.0", ("site-agent", "ssh-access"))
    assert [each.partition("1.0/")[2] for each in found] == [
        f"{name}/bin/python': No such file or directory" for name in ("site-agent", "ssh-access")
    ]


def test_an_interpreter_behind_a_closed_directory_is_told(box: Sandbox, accounts: RealAccounts, python: Path) -> None:
    _site(accounts)
    closed = box.root / "closed"
    closed.mkdir(mode=0o700)
    (closed / "python3").symlink_to(python)
    install_small_release(Paths(box.root), "1.0", closed / "python3")
    [fault] = accounts.unable("1.0", ("ssh-access",))
    assert fault.endswith("ssh-access/bin/python': Permission denied")


def test_a_missing_account_is_told(accounts: RealAccounts) -> None:
    assert accounts.unable("1.0", ("site-agent",)) == ("account 'pharos-agent' does not exist",)


def _site(accounts: RealAccounts, site: SiteEnv = SITE) -> None:
    create(accounts, missing(accounts, site))
