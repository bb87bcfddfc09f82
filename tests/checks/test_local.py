"""The rules about this host: each is provoked on a real archive, real accounts of a sandbox and real programs."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from fixtures import launch
from fixtures.archive import build_wheel, make_archive, pip_wheel, write_archive_sums
from fixtures.central import Central
from fixtures.sandbox import Sandbox
from fixtures.site import site_env
from fixtures.slurm import Slurm
from installer import exits
from installer.checks.mounts import FLEETING, NETWORK
from installer.checks.reference import RULES
from installer.host.files import RealFiles
from installer.host.mounts import mount_of
from installer.host.tree import write_sums
from installer.paths import Paths
from states.plan import Record

AREAS = ("archive", "site.env", "inputs", "python", "accounts", "host", "units", "space", "releases", "slurm")
FACTS = {"PH-HOST-04"}


@attrs.frozen
class Host:
    """A host on which nothing is wrong, until a test breaks something."""

    sandbox: Sandbox
    central: Central
    archive: Path
    tokens: Path
    slurm: Slurm
    python: Path

    @property
    def paths(self) -> Paths:
        return Paths(self.sandbox.root)

    def site_env(self, **keys: str) -> None:
        values = {"HOST_PYTHON": str(self.python), "NATIVE_SLURM_BIN_DIR": str(self.slurm.directory), **keys}
        self.paths.etc.mkdir(parents=True, exist_ok=True)
        self.paths.site_env.write_bytes(site_env(self.central, **values))

    def found(self, *areas: str) -> dict[str, str]:
        return {row["code"]: row["found"] for row in self.rows(*areas) if row["code"] not in FACTS}

    def rows(self, *areas: str) -> list[dict[str, Any]]:
        words = ["check", *(areas or AREAS), "--json", "--tokens", str(self.tokens)]
        done = launch.run(self.sandbox.root, self.archive / "pharos-hpc", *words)
        assert done.returncode in {exits.DONE, exits.REFUSED}, done.stderr
        rows: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
        return rows


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("archive")
    wheels = {name: [build_wheel(directory / "wheels", name)] for name in ("site-agent", "ssh-access")}
    return make_archive(directory / "archive", "1.0", wheels, pip_wheel(directory))


@pytest.fixture
def host(sandbox: Sandbox, archive: Path, tmp_path: Path) -> Iterator[Host]:
    from fixtures.python import reachable_python

    cache = Path("/tmp/pharos-hpc-python")
    cache.mkdir(mode=0o755, exist_ok=True)
    shutil.copytree(archive, tmp_path / "archive")
    with Central.start(tmp_path / "central") as central:
        tokens = central.write_inputs(tmp_path / "tokens")
        slurm = Slurm.install(sandbox.root / "usr/lib/slurm", sys.executable)
        made = Host(sandbox, central, tmp_path / "archive", tokens, slurm, reachable_python(cache))
        made.site_env()
        yield made


def test_nothing_is_found_where_nothing_is_wrong(host: Host) -> None:
    assert host.found() == {}


def test_an_archive_that_is_not_as_it_was_packed(host: Host) -> None:
    with (host.archive / "units/pharos-hpc-recover.service").open("a") as file:
        file.write("# changed\n")
    assert "pharos-hpc-recover.service" in host.found("archive")["PH-ARCHIVE-01"]
    (host.archive / "manifest").write_text("format: 9\n")
    assert set(host.found("archive")) == {"PH-ARCHIVE-02"}


def test_a_release_id_that_stands_for_something_else(host: Host) -> None:
    done = launch.run(host.sandbox.root, host.archive / "pharos-hpc", "install")
    assert done.returncode == exits.DONE, done.stdout
    host.site_env(SITE_NAME="other")
    assert "SITE_NAME" in host.found("archive")["PH-ARCHIVE-03"]


def test_a_site_env_that_somebody_else_could_write(host: Host) -> None:
    host.paths.site_env.chmod(0o666)
    assert set(host.found("site.env")) == {"PH-SITE-01"}
    host.paths.site_env.unlink()
    assert set(host.found("site.env")) == {"PH-SITE-01"}


def test_a_site_env_with_a_bad_line(host: Host) -> None:
    host.site_env(SITE_AGENT_UID="0")
    assert "SITE_AGENT_UID" in host.found("site.env")["PH-SITE-02"]


def test_a_site_env_that_names_what_the_archive_lacks(host: Host) -> None:
    text = (host.archive / "manifest").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("ssh-access.")]
    whole = "\n".join(lines).replace("components: site-agent ssh-access", "components: site-agent") + "\n"
    (host.archive / "manifest").write_text(whole)
    write_archive_sums(host.archive)
    assert "ssh-access" in host.found("site.env")["PH-SITE-03"]


def test_something_in_the_place_of_the_release(host: Host) -> None:
    (host.paths.release("1.0") / "mine").mkdir(parents=True)
    assert "no interrupted run left it" in host.found("archive")["PH-ARCHIVE-04"]


@pytest.mark.parametrize("text", ["", "one\ntwo\n", "with blank", "\x00", "x" * 5000])
def test_a_token_that_is_none(host: Host, text: str) -> None:
    (host.tokens / "site-agent-token").write_text(text)
    assert "site-agent-token" in host.found("inputs")["PH-INPUT-01"]


@pytest.mark.parametrize("name", ["site-agent.env", "secrets/site-agent-token", "configured"])
def test_a_directory_where_a_configuration_file_will_be(host: Host, name: str) -> None:
    (host.paths.etc / name).mkdir(parents=True)
    assert f"'{host.paths.etc / name}' is a directory" in host.found("inputs")["PH-INPUT-02"]


def test_a_python_that_is_too_old_or_none(host: Host) -> None:
    script = host.sandbox.root / "usr/bin/python3.13"
    script.write_text("#!/bin/sh\necho 3 9 2\n")
    script.chmod(0o755)
    host.site_env(HOST_PYTHON=str(script))
    assert set(host.found("python")) == {"PH-PYTHON-01"}


def test_a_python_behind_a_closed_directory(host: Host) -> None:
    closed = host.sandbox.root / "closed"
    closed.mkdir(mode=0o700)
    (closed / "python3.13").symlink_to(host.python)
    host.site_env(HOST_PYTHON=str(closed / "python3.13"))
    assert str(closed) in host.found("python")["PH-PYTHON-02"]


@pytest.mark.parametrize(
    ("defs", "words"),
    [
        ("UID_MAX\t6000000\n", "MEMBER_UID_RANGE (5000000-5499999) overlaps UID_MIN to UID_MAX"),
        ("# GID_MAX 1\n  GID_MAX   5560000\n", "PROJECT_GID_RANGE (5550000-5599999) overlaps GID_MIN to GID_MAX"),
        ("SYS_UID_MIN 70000\nSYS_UID_MAX 5000000\n", "MEMBER_UID_RANGE (5000000-5499999) overlaps SYS_UID_MIN to"),
    ],
)
def test_a_host_that_gives_the_members_numbers_away_itself(host: Host, defs: str, words: str) -> None:
    (host.sandbox.root / "etc/login.defs").write_text(defs)
    found = host.found("accounts")
    assert words in found["PH-ACCOUNT-02"]


@pytest.mark.parametrize("defs", ["", "UID_MAX 60000\nSUB_UID_MAX 600100000\n", "UID_MAX\nUID_MIN many\n", "\x00\xff"])
def test_login_defs_that_say_nothing_else_are_no_finding(host: Host, defs: str) -> None:
    (host.sandbox.root / "etc/login.defs").write_bytes(defs.encode("latin-1"))
    assert host.found("accounts") == {}


@pytest.mark.parametrize(
    ("defs", "words"),
    [
        ("UID_MAX 61001\n", "SITE_AGENT_UID (61001) is within UID_MIN to UID_MAX of login.defs (1000-61001)"),
        ("GID_MIN 61002\nGID_MAX 70000\n", "SSH_ACCESS_GID (61002) is within GID_MIN to GID_MAX"),
        ("SYS_GID_MIN 61002\nSYS_GID_MAX 61002\n", "SSH_ACCESS_GID (61002) is within SYS_GID_MIN to SYS_GID_MAX"),
        ("UID_MIN 61002\nUID_MAX 61009\n", "SSH_ACCESS_UID (61002) is within UID_MIN to UID_MAX"),
    ],
)
def test_a_host_that_may_give_away_an_identitys_number_until_it_exists(host: Host, defs: str, words: str) -> None:
    (host.sandbox.root / "etc/login.defs").write_text(defs)
    rows = host.rows("accounts")
    assert {row["code"] for row in rows} == {"PH-ACCOUNT-05"}
    assert [row for row in rows if row["found"].startswith(words)]
    for name, number in (("pharos-agent", "61001"), ("pharos-ssh-access", "61002")):
        host.sandbox.run("groupadd", "--gid", number, name)
        host.sandbox.run("useradd", "--uid", number, "--gid", number, "--shell", "/usr/sbin/nologin",
                         "--home-dir", "/nonexistent", name)  # fmt: skip
    assert host.found("accounts") == {}


def test_a_local_account_or_group_with_a_members_number(host: Host) -> None:
    host.sandbox.run("groupadd", "--gid", "5500001", "others")
    assert "1 groups in MEMBER_GID_RANGE (5500000-5549999): others" in host.found("accounts")["PH-ACCOUNT-03"]
    host.sandbox.run("useradd", "--uid", "5499999", "--gid", "5500001", "other")
    host.sandbox.run("useradd", "--uid", "5500000", "--gid", "5500001", "beside")
    told = {row["found"] for row in host.rows("accounts") if row["code"] == "PH-ACCOUNT-03"}
    assert "1 accounts in MEMBER_UID_RANGE (5000000-5499999): other" in told


def test_members_of_the_directory_are_a_fact_for_people(host: Host) -> None:
    rows = [f"member{number}:x:{5000000 + number}:5500000::/home/x:/bin/sh\n" for number in range(5)]
    (host.sandbox.root / "etc/passwd.enumerated").write_text("".join(rows))
    found = host.found("accounts")
    assert set(found) == {"PH-ACCOUNT-04"}
    assert "5 accounts in MEMBER_UID_RANGE (5000000-5499999): member0, member1, member2, ..." in found["PH-ACCOUNT-04"]


def test_a_number_that_is_somebody_elses(host: Host) -> None:
    host.sandbox.run("groupadd", "--gid", "61001", "others")
    host.sandbox.run("useradd", "--uid", "61001", "--gid", "61001", "other")
    assert "61001" in host.found("accounts")["PH-ACCOUNT-01"]


@pytest.mark.parametrize(
    ("program", "script", "code"),
    [
        ("systemctl", "echo broken >&2; exit 1", "PH-HOST-02"),
        ("systemctl", '[ "$1" = --version ] && { echo "systemd 239 (239)"; exit 0; }; exec "$real" "$@"', "PH-HOST-06"),
        ("getent", "exit 2", "PH-HOST-03"),
    ],
)
def test_a_host_that_does_not_answer_as_it_must(host: Host, program: str, script: str, code: str) -> None:
    host.sandbox.wrap(program, script)
    assert code in host.found("host")


def test_what_the_host_is_and_whether_selinux_decides_are_facts(host: Host) -> None:
    (host.sandbox.root / "sys/fs/selinux").mkdir(parents=True)
    (host.sandbox.root / "sys/fs/selinux/enforce").write_text("1")
    assert host.found("host") == {"PH-HOST-07": "SELinux is enforcing"}


def test_a_program_of_the_host_that_is_missing_keeps_no_other_area_from_being_looked_at(host: Host) -> None:
    (host.sandbox.root / "usr/bin/systemd-analyze").unlink()
    found = host.found("units", "site.env")
    assert "systemd-analyze" in found["PH-HOST-05"]


def test_unit_files_that_systemd_would_not_take(host: Host) -> None:
    unit = host.archive / "units/pharos-ssh-access-agent.service"
    unit.write_text(unit.read_text().replace("[Service]", "[Service]\nNoSuchThing=1\nExecStart=relative"))
    assert "PH-UNIT-01" in host.found("units")


def test_a_masked_unit(host: Host) -> None:
    host.paths.units.mkdir(parents=True, exist_ok=True)
    (host.paths.units / "pharos-ssh-access-agent.service").symlink_to("/dev/null")
    host.sandbox.systemctl("daemon-reload")
    assert "pharos-ssh-access-agent.service" in host.found("units")["PH-UNIT-02"]


def test_a_drop_in_that_replaces_the_program(host: Host) -> None:
    path = host.paths.units / "waldur-site-agent@.service.d/50-site.conf"
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=\nExecStart=/usr/bin/sleep 1000\n")
    assert str(path) in host.found("units")["PH-UNIT-03"]


def installed(host: Host) -> Path:
    done = launch.run(host.sandbox.root, host.archive / "pharos-hpc", "install")
    assert done.returncode == exits.DONE, done.stdout
    return host.paths.release("1.0")


def unlink(release: Path) -> None:
    (release / "units/pharos-hpc-recover.service").unlink()


def append(release: Path) -> None:
    with (release / "manifest").open("a") as file:
        file.write("# more\n")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (unlink, "'units/pharos-hpc-recover.service' is missing"),
    "changed": (append, "'manifest' was changed"),
    "added": (lambda release: (release / "units/more.service").touch(), "'units/more.service' was added"),
    "led-out": (lambda release: (release / "units/link").symlink_to("../../../etc"), "'units/link'"),
    "unlisted": (lambda release: (release / "SHA256SUMS").write_text("x\n"), "'SHA256SUMS' cannot be used"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_an_installed_release_that_is_not_as_it_was_installed(host: Host, name: str) -> None:
    change, words = DAMAGE[name]
    release = installed(host)
    assert host.found() == {}
    change(release)
    assert words in host.found("releases")["PH-RELEASE-01"]


def test_a_release_before_that_no_rollback_could_lead_to_keeps_no_activation_from_being_tried(host: Host) -> None:
    installed(host)
    host.paths.release("0.9").mkdir()
    write_sums(host.paths.release("0.9"))
    record = Record("1.0", "0.9", ("ssh-access",), (), running=True, at="", by="", transaction="")
    RealFiles(host.paths).commit(record)
    assert host.found("releases") == {}
    (host.paths.release("0.9") / "more").touch()
    assert "'more' was added" in host.found("releases")["PH-RELEASE-02"]
    (host.paths.release("0.9") / "SHA256SUMS").unlink()
    assert "not installed, or not complete" in host.found("releases")["PH-RELEASE-02"]
    assert RULES["PH-RELEASE-02"].severity == "warning"


def test_a_record_that_is_none(host: Host) -> None:
    host.paths.record.parent.mkdir(parents=True)
    host.paths.record.write_text("{}")
    assert "cannot read the record" in host.found("releases")["PH-RELEASE-03"]


def test_something_among_the_releases_that_is_none(host: Host) -> None:
    (host.paths.releases / "backup").mkdir(parents=True)
    assert "backup" in host.found("releases")["PH-RELEASE-04"]


def shelve(host: Host, release: str) -> Path:
    """Put another whole release, of no files, among the installed ones."""
    path = host.paths.release(release)
    path.mkdir(parents=True)
    write_sums(path)
    return path


def test_another_installed_release_that_is_damaged_is_a_warning(host: Host) -> None:
    path = shelve(host, "0.8")
    assert host.found("releases") == {}
    (path / "more").touch()
    assert host.found("releases") == {"PH-RELEASE-06": "release '0.8': 'more' was added"}
    assert RULES["PH-RELEASE-06"].severity == "warning"


def test_a_release_is_judged_once_and_by_the_gravest_rule(host: Host) -> None:
    (shelve(host, "0.9") / "more").touch()
    record = Record("0.9", "0.9", ("ssh-access",), (), running=True, at="", by="", transaction="")
    RealFiles(host.paths).commit(record)
    assert [row["code"] for row in host.rows("releases")] == ["PH-RELEASE-01"]


@pytest.mark.parametrize("name", ["current", "previous", "site-agent", "ssh-access"])
def test_something_in_the_place_of_a_link(host: Host, name: str) -> None:
    (host.paths.opt / name).mkdir(parents=True)
    assert str(host.paths.opt / name) in host.found("releases")["PH-RELEASE-05"]


@pytest.mark.parametrize("target", ["releases/gone", "/etc", "gone", "releases/../..", "releases/0.9/units"])
def test_a_link_that_leads_to_no_release(host: Host, target: str) -> None:
    host.paths.opt.mkdir(parents=True, exist_ok=True)
    (host.paths.opt / "previous").symlink_to(target)
    assert set(host.found("releases")) == {"PH-RELEASE-07"}


def test_a_release_that_does_not_fit(host: Host) -> None:
    small = host.sandbox.root / "opt"
    small.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size=1m,mode=0755 tmpfs {small} && exec "$@"'
    words = launch.launched(host.archive / "pharos-hpc", "check", "space", "mounts", "--json")
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *words]
    done = subprocess.run(
        command, cwd=launch.REPOSITORY, env=launch.environment(host.sandbox.root), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    codes = {row["code"] for row in json.loads(done.stdout)["findings"]}
    assert {"PH-SPACE-01", "PH-MOUNT-03"} <= codes, done.stderr


def test_mounts_that_forbid_writing_or_running(host: Host) -> None:
    where = host.sandbox.root / "opt"
    where.mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size=1m,mode=0755,noexec,ro tmpfs {where} && exec "$@"'
    words = launch.launched(host.archive / "pharos-hpc", "check", "mounts", "--json")
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *words]
    done = subprocess.run(
        command, cwd=launch.REPOSITORY, env=launch.environment(host.sandbox.root), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    found = {row["code"]: row["found"] for row in json.loads(done.stdout)["findings"]}
    assert {"PH-MOUNT-01", "PH-MOUNT-02"} <= set(found)
    assert str(where) in found["PH-MOUNT-01"]


def test_a_path_lies_on_the_longest_mount_above_it() -> None:
    assert mount_of(Path("/proc/self/status")).kind == "proc"
    assert mount_of(Path("/no/such/directory")).at == "/"
    assert not FLEETING & NETWORK


SLURM = {
    "PH-SLURM-03": {"NATIVE_SLURM_CLUSTER": "elsewhere"},
    "PH-SLURM-04": {"NATIVE_SLURM_ACCOUNT": "nobody"},
    "PH-SLURM-06": {"NATIVE_STAGING_PARTITION": "nowhere"},
}


@pytest.mark.parametrize("code", SLURM)
def test_what_site_env_names_and_slurm_does_not_know(host: Host, code: str) -> None:
    host.site_env(**SLURM[code])
    assert set(host.found("slurm")) == {code}


def test_an_agent_that_may_not_administer_slurm(host: Host) -> None:
    host.slurm.directory.joinpath("slurm-state.json").unlink()
    Slurm.install(host.slurm.directory, sys.executable, operator="somebody-else")
    assert "pharos-agent" in host.found("slurm")["PH-SLURM-05"]


def test_slurm_that_is_missing_or_gives_no_answer(host: Host) -> None:
    (host.slurm.directory / "sinfo").write_text("#!/bin/sh\necho down >&2; exit 1\n")
    assert "down" in host.found("slurm")["PH-SLURM-02"]
    (host.slurm.directory / "sacct").unlink()
    assert "sacct" in host.found("slurm")["PH-SLURM-01"]


LDAPSEARCH = """\
#!/bin/sh
case "$*" in
*ldapi*) echo 'supportedSASLMechanisms: {mechanism}'; exit {access};;
*) echo 'namingContexts: {context}'; exit {agent};;
esac
"""


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, ""),
        ({"agent": 255}, "PH-LDAP-01"),
        ({"access": 255}, "PH-LDAP-02"),
        ({"mechanism": "DIGEST-MD5"}, "PH-LDAP-03"),
        ({"context": "dc=elsewhere"}, "PH-LDAP-04"),
    ],
)
def test_a_directory_is_judged_by_its_root_dse(host: Host, changes: dict[str, Any], code: str) -> None:
    """The program's words are held against a real slapd in the lab; here only what is made of its answer."""
    values = {"mechanism": "EXTERNAL", "context": "dc=example,dc=org", "agent": 0, "access": 0, **changes}
    program = host.sandbox.root / "usr/bin/ldapsearch"
    program.write_text(LDAPSEARCH.format(**values))
    program.chmod(0o755)
    assert set(host.found("ldap")) == ({code} if code else set())


def test_a_host_without_ldapsearch_says_that_the_directory_was_not_asked(host: Host) -> None:
    assert set(host.found("ldap")) == {"PH-LDAP-05"}


def test_every_code_is_provoked_by_a_test() -> None:
    text = "".join(path.read_text() for path in Path(__file__).parents[1].rglob("test_*.py"))
    silent = {"PH-HOST-01", "PH-MOUNT-04"}  # another architecture; a network file system
    assert {code for code in RULES if code not in text} <= silent
