"""What we rely on in a service manager: files, links, the journal, verification."""

import json
import re
import time

import pytest

from tests.contract.systemd import NAME, RUN_FOR_EVER, Systemd

# --- what is loaded and what is on disk ------------------------------------------------------------------


def test_a_changed_file_counts_only_after_a_reload(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    systemd.write(unit, "[Service]\nType=exec\nExecStart=/bin/sh -c 'echo changed; exec sleep 1000'\n")
    assert systemd.property(unit, "NeedDaemonReload") == "yes"
    warned = systemd("restart", unit)
    assert "daemon-reload" in warned.stderr
    systemd.wait_for_line(unit, "up")
    assert systemd("daemon-reload").returncode == 0
    assert systemd.property(unit, "NeedDaemonReload") == "no"
    systemd("restart", unit)
    systemd.wait_for_line(unit, "changed")


def test_a_reload_harms_no_process(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    before = systemd.show(unit, "MainPID", "InvocationID")
    systemd("daemon-reload")
    assert systemd.show(unit, "MainPID", "InvocationID") == before


def test_a_unit_that_was_never_loaded_is_loaded_when_it_is_started(systemd: Systemd) -> None:
    unit = systemd.write(f"{NAME}.service", f"[Service]\nType=exec\nExecStart={RUN_FOR_EVER}\n").name
    assert systemd("start", unit).returncode == 0
    assert systemd.property(unit, "NeedDaemonReload") == "no"


def test_a_running_unit_whose_file_has_gone_can_still_be_stopped(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    (systemd.units / unit).unlink()
    systemd("daemon-reload")
    assert systemd.show(unit, "LoadState", "ActiveState") == {"LoadState": "not-found", "ActiveState": "active"}
    assert systemd("stop", unit).returncode == 0
    assert systemd.show(unit, "LoadState", "ActiveState") == {"LoadState": "not-found", "ActiveState": "inactive"}


def test_a_drop_in_overrides_and_is_shown(systemd: Systemd) -> None:
    unit = systemd.service(extra="Environment=WHO=file")
    systemd.write(unit, f"[Service]\nType=exec\nEnvironment=WHO=file\nExecStart={RUN_FOR_EVER}\n")
    text = "[Service]\nExecStart=\nExecStart=/bin/sh -c 'echo $$WHO; exec sleep 1000'\nEnvironment=WHO=drop-in\n"
    extra = systemd.write(f"{unit}.d/site.conf", text)
    systemd("daemon-reload")
    systemd("start", unit)
    systemd.wait_for_line(unit, "drop-in")
    assert systemd.property(unit, "DropInPaths") == str(extra)
    assert systemd.property(unit, "FragmentPath") == str(systemd.units / unit)


def test_a_changed_drop_in_wants_a_reload(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd.write(f"{unit}.d/site.conf", "[Service]\nNice=5\n")
    systemd("daemon-reload")
    systemd("start", unit)
    assert systemd.property(unit, "NeedDaemonReload") == "no"
    systemd.write(f"{unit}.d/site.conf", "[Service]\nNice=7\n")
    assert systemd.property(unit, "NeedDaemonReload") == "yes"


def test_several_units_are_shown_with_an_empty_line_between(systemd: Systemd) -> None:
    unit = systemd.service()
    shown = systemd("show", "-p", "LoadState,Id", unit, f"{NAME}-unknown.service").stdout
    assert shown == f"Id={unit}\nLoadState=loaded\n\nId={NAME}-unknown.service\nLoadState=not-found\n"


def test_times_are_shown_and_grow(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    seen = systemd.show(unit, "ActiveEnterTimestamp", "ActiveEnterTimestampMonotonic")
    assert re.fullmatch(r"\w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+", seen["ActiveEnterTimestamp"])
    systemd("restart", unit)
    first, second = seen["ActiveEnterTimestampMonotonic"], systemd.property(unit, "ActiveEnterTimestampMonotonic")
    assert 0 < int(first) < int(second) < time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000


def test_running_instances_are_listed_by_pattern(systemd: Systemd) -> None:
    systemd.service(f"{NAME}@.service")
    systemd("start", f"{NAME}@one.service")
    lines = systemd("list-units", "--no-legend", "--plain", f"{NAME}@*").stdout.splitlines()
    assert [line.split()[:4] for line in lines] == [[f"{NAME}@one.service", "loaded", "active", "running"]]


# --- enabled and masked ----------------------------------------------------------------------------------


def test_enabling_an_instance_links_its_template(systemd: Systemd) -> None:
    systemd.service(f"{NAME}@.service")
    unit = f"{NAME}@one.service"
    assert systemd("is-enabled", unit).stdout == "disabled\n"
    assert systemd("enable", unit).returncode == 0
    assert (systemd.units / "multi-user.target.wants" / unit).is_symlink()
    result = systemd("is-enabled", unit)
    assert (result.returncode, result.stdout) == (0, "enabled\n")
    assert systemd.property(unit, "UnitFileState") == "enabled"
    assert systemd("is-enabled", f"{NAME}@two.service").returncode == 1


def test_disabling_takes_the_link_away_and_may_run_twice(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("enable", unit)
    for _ in range(2):
        assert systemd("disable", unit).returncode == 0
        assert not (systemd.units / "multi-user.target.wants" / unit).is_symlink()
    assert systemd("is-enabled", unit).returncode == 1


def test_what_has_no_file_cannot_be_enabled(systemd: Systemd) -> None:
    result = systemd("enable", f"{NAME}-unknown.service")
    assert result.returncode == 1
    assert "does not exist" in result.stderr
    assert systemd("is-enabled", f"{NAME}-unknown.service").returncode in {1, 4}  # 4 since systemd 253


def test_what_is_unknown_is_not_active(systemd: Systemd) -> None:
    result = systemd("is-active", f"{NAME}-unknown.service")
    assert (result.returncode, result.stdout) in {(3, "inactive\n"), (4, "inactive\n")}  # 4 since systemd 253


def test_enabling_does_not_start_and_disabling_does_not_stop(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("enable", unit)
    assert systemd.property(unit, "ActiveState") == "inactive"
    systemd("start", unit)
    systemd("disable", unit)
    assert systemd.property(unit, "ActiveState") == "active"


def test_a_masked_instance_is_refused(systemd: Systemd) -> None:
    systemd.service(f"{NAME}@.service")
    unit = f"{NAME}@one.service"
    assert systemd("mask", unit).returncode == 0
    assert str((systemd.units / unit).readlink()) == "/dev/null"
    assert systemd.show(unit, "LoadState", "UnitFileState") == {"LoadState": "masked", "UnitFileState": "masked"}
    for verb in ("start", "restart", "enable"):
        result = systemd(verb, unit)
        assert result.returncode == 1
        assert "is masked" in result.stderr
    assert systemd("unmask", unit).returncode == 0
    assert systemd("start", unit).returncode == 0


def test_a_unit_with_a_file_of_its_own_cannot_be_masked(systemd: Systemd) -> None:
    result = systemd("mask", systemd.service())
    assert result.returncode == 1
    assert "already exists" in result.stderr


# --- the journal -----------------------------------------------------------------------------------------


def test_the_journal_keeps_the_invocations_of_a_unit_apart(systemd: Systemd) -> None:
    systemd.service(f"{NAME}@.service", "/bin/sh -c 'echo out %i; echo err %i >&2; exec sleep 1000'")
    unit = f"{NAME}@one.service"
    for _ in range(2):
        systemd("restart", unit, f"{NAME}@two.service")
        assert systemd.wait_for_line(unit, "err one") == ["out one", "err one"]


def test_the_journal_drops_blanks_at_the_end_of_a_line_and_empty_lines(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'echo \"  a  b \"; echo; echo end; exec sleep 1000'")
    systemd("start", unit)
    assert systemd.wait_for_line(unit, "end") == ["  a  b", "end"]


def test_the_journal_gives_the_last_lines_and_their_fields(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'seq 1 9; echo end; exec sleep 1000'")
    systemd("start", unit)
    systemd.wait_for_line(unit, "end")
    invocation = systemd.property(unit, "InvocationID")
    match = f"_SYSTEMD_INVOCATION_ID={invocation}"
    text = systemd.run("journalctl", "-u", unit, match, "-n", "2", "-o", "json", "--no-pager").stdout
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["MESSAGE"] for line in lines] == ["9", "end"]
    assert {line["_SYSTEMD_UNIT"] for line in lines} == {unit}
    assert abs(int(lines[0]["__REALTIME_TIMESTAMP"]) / 1e6 - time.time()) < 60


# --- verification ----------------------------------------------------------------------------------------


def verify(systemd: Systemd, text: str) -> tuple[int, str]:
    path = systemd.write(f"{NAME}.service", text)
    result = systemd.run("systemd-analyze", "verify", str(path))
    return result.returncode, result.stderr


def test_a_sound_unit_file_passes_verification_in_silence(systemd: Systemd) -> None:
    assert verify(systemd, "[Unit]\nDescription=sound\n[Service]\nExecStart=/bin/true\n") == (0, "")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("[Service]\nExecStart=/bin/true\nFoo=1\n", 0, ":3: Unknown key 'Foo' in section [Service], ignoring."),
        ("[Service]\nExecStart=/bin/true\njunk\n", 0, ":3: Missing '=', ignoring line."),
        ("[Service]\nType=exec\n", 1, "Service has no ExecStart="),
        ("[Service]\nExecStart=/opt/nowhere/at-all\n", 1, "is not executable: No such file or directory"),
        ("[Service]\nExecStart=bin/true\n", 1, "Neither a valid executable name nor an absolute path: bin/true"),
    ],
)
def test_verification_tells_what_is_wrong(systemd: Systemd, text: str, code: int, told: str) -> None:
    found, err = verify(systemd, text)
    assert found == code
    assert told in err
