"""The final unit files: what systemd itself thinks of them, and the directives that other parts rely on."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from fixtures.servicemanager import definition
from fixtures.servicemanager.unitfile import Name

UNITS = Path(__file__).parents[2] / "units"
SITE_AGENT = UNITS / "waldur-site-agent@.service"
SSH_ACCESS = UNITS / "pharos-ssh-access-agent.service"
RECOVER = UNITS / "pharos-hpc-recover.service"
AGENTS = (SITE_AGENT, SSH_ACCESS)
EVERY = (*AGENTS, RECOVER)
ANALYZE = Path("/usr/bin/systemd-analyze")

with_systemd = pytest.mark.skipif(not ANALYZE.exists(), reason="systemd-analyze is not on this machine")
agents = pytest.mark.parametrize("unit", AGENTS, ids=lambda unit: unit.name)
every = pytest.mark.parametrize("unit", EVERY, ids=lambda unit: unit.name)


def directives(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in unit.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[key].append(value)
    return found


def only(unit: Path, key: str) -> str:
    (value,) = directives(unit)[key]
    return value


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ANALYZE, *arguments], capture_output=True, text=True, check=False, timeout=60)


@with_systemd
@agents
def test_an_agent_is_exposed_less_than_two(unit: Path) -> None:
    result = analyze("security", "--offline=true", "--threshold=19", str(unit))
    assert result.returncode == 0, result.stdout
    score = re.search(r"Overall exposure level for .*: ([0-9.]+)", result.stdout)
    assert score is not None
    assert float(score[1]) < 2.0


@with_systemd
@every
def test_systemd_knows_every_key_and_understands_every_value(unit: Path) -> None:
    lines = analyze("verify", "--man=no", str(unit)).stderr.splitlines()
    assert [line for line in lines if "is not executable: No such file" not in line] == []


@every
def test_the_stand_in_of_the_tests_loads_it_as_it_is(unit: Path) -> None:
    loaded = definition.read(Path("/sandbox"), Name(unit.name.replace("@", "@report")), unit, ())
    assert (loaded.load_state, definition.complaints(unit)) == ("loaded", ())


@agents
def test_an_agent_that_cannot_be_executed_is_not_reported_as_started(unit: Path) -> None:
    assert only(unit, "Type") == "exec"


@agents
def test_a_crash_loop_becomes_a_failed_unit(unit: Path) -> None:
    assert only(unit, "Restart") == "on-failure"
    pause, burst = int(only(unit, "RestartSec")), int(only(unit, "StartLimitBurst"))
    slowest_death = 17  # seconds, measured: the agent reads its configuration after importing everything
    assert pause >= 15
    assert burst * (pause + slowest_death) < int(only(unit, "StartLimitIntervalSec"))


@agents
def test_an_agent_starts_after_recovery_but_never_pulls_it_in(unit: Path) -> None:
    assert "pharos-hpc-recover.service" in only(unit, "After")
    assert "network-online.target" in only(unit, "After")
    pulled = [value for key in ("Wants", "Requires", "BindsTo") for value in directives(unit)[key]]
    assert not any("recover" in value for value in pulled)


def test_recovery_comes_before_each_unit_that_we_run() -> None:
    before = " ".join(directives(RECOVER)["Before"]).split()
    modes = ("order_process", "membership_sync", "report")
    assert set(before) == {*(f"waldur-site-agent@{mode}.service" for mode in modes), SSH_ACCESS.name}


def test_recovery_is_skipped_where_nothing_is_installed() -> None:
    assert only(RECOVER, "ConditionPathIsDirectory") == "/opt/pharos-hpc"
    assert only(RECOVER, "Type") == "oneshot"
    assert "User" not in directives(RECOVER)


@every
def test_a_unit_is_started_at_boot(unit: Path) -> None:
    assert only(unit, "WantedBy") == "multi-user.target"


@agents
def test_an_agent_has_no_privilege_and_no_way_to_one(unit: Path) -> None:
    assert only(unit, "NoNewPrivileges") == "yes"
    assert only(unit, "CapabilityBoundingSet") == ""
    assert only(unit, "AmbientCapabilities") == ""
    assert only(unit, "UMask") == "0077"


@pytest.mark.parametrize(
    ("unit", "account", "component"),
    [(SITE_AGENT, "pharos-agent", "site-agent"), (SSH_ACCESS, "pharos-ssh-access", "ssh-access")],
    ids=["site-agent", "ssh-access"],
)
def test_an_agent_runs_as_its_own_account_with_its_own_settings(unit: Path, account: str, component: str) -> None:
    assert (only(unit, "User"), only(unit, "Group")) == (account, account)
    assert only(unit, "EnvironmentFile") == f"/etc/pharos-hpc/{component}.env"
    assert only(unit, "ExecStart").startswith(f"/opt/pharos-hpc/{component}/bin/")


@agents
def test_a_secret_comes_as_a_credential_and_from_nowhere_else(unit: Path) -> None:
    name, _, source = only(unit, "LoadCredential").partition(":")
    assert source == f"/etc/pharos-hpc/secrets/{name}"
    others = [value for key, values in directives(unit).items() if key != "LoadCredential" for value in values]
    assert not any("/etc/pharos-hpc/secrets" in value for value in others)


def test_each_mode_has_a_heartbeat_of_its_own() -> None:
    assert only(SITE_AGENT, "RuntimeDirectory") == "waldur-site-agent/%i"
    environment = " ".join(directives(SITE_AGENT)["Environment"]).split()
    assert "WALDUR_SITE_AGENT_HEARTBEAT_PATH=%t/waldur-site-agent/%i/heartbeat" in environment


def test_the_site_agent_keeps_a_state_directory_that_nobody_else_reads() -> None:
    assert only(SITE_AGENT, "StateDirectory") == "waldur-site-agent"
    assert only(SITE_AGENT, "StateDirectoryMode") == "0700"


@agents
def test_what_weakens_an_agent_says_why(unit: Path) -> None:
    lines = unit.read_text().splitlines()
    for key in ("RestrictAddressFamilies=", "PrivateNetwork=", "PrivateUsers=", "ProcSubset="):
        (at,) = [number for number, line in enumerate(lines) if line.startswith(key)]
        assert lines[at - 1].startswith("# "), key


@agents
def test_the_callers_proxies_trust_and_modules_do_not_reach_an_agent(unit: Path) -> None:
    unset = " ".join(directives(unit)["UnsetEnvironment"]).split()
    assert {"ALL_PROXY", "https_proxy", "SSL_CERT_DIR", "PYTHONPATH", "PYTHONHOME"} <= set(unset)
    assert "HTTPS_PROXY=" in directives(unit)["Environment"]
    assert "HTTPS_PROXY" not in unset, "the site's own proxy comes by the environment file"


# --- the shell of the recovery unit -------------------------------------------------------------------------------


def recover_command(current: Path, previous: Path) -> list[str]:
    line = only(RECOVER, "ExecStart")
    head, _, rest = line.partition("'")
    script, _, words = rest.rpartition("'")
    assert head.strip() == "/bin/sh -c"
    zeroth, *programs = words.split()
    assert programs == ["/opt/pharos-hpc/current/pharos-hpc", "/opt/pharos-hpc/previous/pharos-hpc"]
    return ["/bin/sh", "-c", script.replace("$$", "$"), zeroth, str(current), str(previous)]


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def works(path: Path) -> Path:
    script = f'#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "{path.name} $*"\nexit 4\n'
    return program(path, script)


def recover(current: Path, previous: Path) -> tuple[int, str]:
    command = recover_command(current, previous)
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20, env={})
    return result.returncode, result.stdout.strip()


def test_recovery_runs_the_current_releases_own_program_and_keeps_its_exit_code(tmp_path: Path) -> None:
    assert recover(works(tmp_path / "current"), works(tmp_path / "previous")) == (4, "current recover --boot")


@pytest.mark.parametrize("damage", ["#!/nowhere/python3.13\n", "#!/bin/sh\nexit 1\n", "", None])
def test_recovery_passes_over_a_current_program_that_cannot_run(tmp_path: Path, damage: str | None) -> None:
    current = tmp_path / "current"
    if damage is not None:
        program(current, damage or "\x7fELF")
    assert recover(current, works(tmp_path / "previous")) == (4, "previous recover --boot")


def test_recovery_fails_visibly_when_no_program_runs(tmp_path: Path) -> None:
    assert recover(tmp_path / "current", tmp_path / "previous") == (1, "")
