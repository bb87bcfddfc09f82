"""What we rely on in a service manager: how services start, and what they are given."""

import re
from pathlib import Path

import pytest

from tests.contract.systemd import NAME, Systemd, alive

# --- starting --------------------------------------------------------------------------------------------


def test_a_started_service_is_active_with_a_main_process_and_an_invocation(systemd: Systemd) -> None:
    unit = systemd.service()
    assert systemd("start", unit).returncode == 0
    seen = systemd.show(unit, "ActiveState", "SubState", "MainPID", "InvocationID", "NRestarts", "Result")
    assert (seen["ActiveState"], seen["SubState"], seen["Result"]) == ("active", "running", "success")
    assert alive(seen["MainPID"])
    assert re.fullmatch("[0-9a-f]{32}", seen["InvocationID"])
    assert seen["NRestarts"] == "0"
    assert systemd("is-active", unit).stdout == "active\n"


def test_starting_a_running_service_changes_nothing(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    before = systemd.show(unit, "MainPID", "InvocationID")
    assert systemd("start", unit).returncode == 0
    assert systemd.show(unit, "MainPID", "InvocationID") == before


def test_a_restart_gives_another_process_and_another_invocation(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    before = systemd.show(unit, "MainPID", "InvocationID")
    assert systemd("restart", unit).returncode == 0
    after = systemd.show(unit, "MainPID", "InvocationID")
    assert before["MainPID"] != after["MainPID"]
    assert before["InvocationID"] != after["InvocationID"]
    assert not alive(before["MainPID"])


def test_try_restart_leaves_a_stopped_service_stopped(systemd: Systemd) -> None:
    unit = systemd.service()
    assert systemd("try-restart", unit).returncode == 0
    assert systemd.property(unit, "ActiveState") == "inactive"


def test_several_units_are_started_in_one_call(systemd: Systemd) -> None:
    units = [systemd.service(f"{NAME}-{letter}.service") for letter in "abc"]
    assert systemd("restart", *units).returncode == 0
    assert systemd("is-active", *units).stdout == "active\n" * 3


def test_a_program_that_cannot_be_executed_fails_the_start(systemd: Systemd) -> None:
    unit = systemd.service(start="/opt/nowhere/at-all")
    result = systemd("start", unit)
    assert result.returncode == 1
    assert f"Job for {unit} failed because" in result.stderr
    seen = systemd.show(unit, "ActiveState", "Result", "ExecMainStatus", "ExecMainCode")
    assert seen == {"ActiveState": "failed", "Result": "exit-code", "ExecMainStatus": "203", "ExecMainCode": "1"}


def test_a_missing_environment_file_fails_the_start(systemd: Systemd) -> None:
    unit = systemd.service(extra="EnvironmentFile=/etc/pharos-contract-nowhere.env")
    assert systemd("start", unit).returncode == 1
    assert systemd.property(unit, "Result") == "resources"


def test_a_missing_environment_file_may_be_allowed(systemd: Systemd) -> None:
    unit = systemd.service(extra="EnvironmentFile=-/etc/pharos-contract-nowhere.env")
    assert systemd("start", unit).returncode == 0


def test_a_missing_credential_fails_the_start(systemd: Systemd) -> None:
    unit = systemd.service(extra="LoadCredential=token:/etc/pharos-contract-nowhere")
    assert systemd("start", unit).returncode == 1
    assert systemd.property(unit, "ExecMainStatus") == "243"


def test_an_unknown_account_fails_the_start(systemd: Systemd) -> None:
    unit = systemd.service(extra="User=pharos-contract-nobody")
    assert systemd("start", unit).returncode == 1
    assert systemd.property(unit, "ExecMainStatus") == "217"


def test_an_unknown_unit_cannot_be_started(systemd: Systemd) -> None:
    result = systemd("start", f"{NAME}-unknown.service")
    assert result.returncode == 5
    assert f"Unit {NAME}-unknown.service not found." in result.stderr


def test_one_unknown_unit_does_not_keep_the_others_from_starting(systemd: Systemd) -> None:
    unit = systemd.service()
    assert systemd("start", f"{NAME}-unknown.service", unit).returncode == 5
    assert systemd.property(unit, "ActiveState") == "active"


def test_a_template_without_an_instance_cannot_be_started(systemd: Systemd) -> None:
    systemd.service(f"{NAME}@.service")
    result = systemd("start", f"{NAME}@.service")
    assert result.returncode == 1
    assert "missing the instance name" in result.stderr


def test_a_unit_with_a_bad_setting_cannot_be_started(systemd: Systemd) -> None:
    unit = systemd.service(start="bin/relative")
    assert systemd.property(unit, "LoadState") == "bad-setting"
    result = systemd("start", unit)
    assert result.returncode == 1
    assert "bad unit file setting" in result.stderr


def test_a_oneshot_start_returns_when_it_has_ended(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'sleep 0.3; echo done'", extra="Type=oneshot")
    assert systemd("start", unit).returncode == 0
    seen = systemd.show(unit, "ActiveState", "SubState", "Result")
    assert seen == {"ActiveState": "inactive", "SubState": "dead", "Result": "success"}


def test_a_oneshot_that_fails_fails_the_start(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'exit 4'", extra="Type=oneshot")
    assert systemd("start", unit).returncode == 1
    seen = systemd.show(unit, "ActiveState", "Result", "ExecMainStatus")
    assert seen == {"ActiveState": "failed", "Result": "exit-code", "ExecMainStatus": "4"}


def test_a_condition_that_does_not_hold_is_no_failure(systemd: Systemd) -> None:
    unit = systemd.service(extra="[Unit]\nConditionPathIsDirectory=/opt/pharos-contract-nowhere")
    assert systemd("start", unit).returncode == 0
    assert systemd.property(unit, "ActiveState") == "inactive"


def test_a_start_waits_for_the_units_before_it(systemd: Systemd) -> None:
    first = systemd.service(f"{NAME}-first.service", "/bin/sleep 0.5", "Type=oneshot")
    second = systemd.service(f"{NAME}-second.service", extra=f"[Unit]\nAfter={first}")
    assert systemd("start", "--no-block", first).returncode == 0
    assert systemd("start", second).returncode == 0
    assert systemd.property(first, "ActiveState") == "inactive"


def test_a_start_without_waiting_returns_before_it_is_done(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sleep 1000", extra="Type=oneshot")
    assert systemd("start", "--no-block", unit).returncode == 0
    systemd.wait(unit, "ActiveState", "activating")
    assert systemd("is-active", unit).stdout == "activating\n"


# --- what a service is given -----------------------------------------------------------------------------


def test_a_service_inherits_nothing_from_who_started_it(systemd: Systemd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHAROS_CONTRACT", "leaked")
    unit = systemd.service(start="/bin/sh -c 'env; pwd; umask; echo end; exec sleep 1000'")
    systemd("start", unit)
    seen = systemd.wait_for_line(unit, "end")
    assert "PHAROS_CONTRACT=leaked" not in seen
    assert {"PWD=/", "/", "0022"} <= set(seen)
    assert f"INVOCATION_ID={systemd.property(unit, 'InvocationID')}" in seen


def test_settings_come_from_the_unit_and_the_environment_file_wins(systemd: Systemd) -> None:
    (systemd.root / "etc/pharos-contract.env").write_text('A=file\n# comment\nB="two words"\n')
    extra = (
        "Environment=A=unit C=%i-%n D=unit\nUnsetEnvironment=D\nEnvironmentFile=/etc/pharos-contract.env\nUMask=0077"
    )
    systemd.service(f"{NAME}@.service", "/bin/sh -c 'env; umask; echo end; exec sleep 1000'", extra)
    unit = f"{NAME}@one.service"
    systemd("start", unit)
    seen = systemd.wait_for_line(unit, "end")
    (systemd.root / "etc/pharos-contract.env").unlink()
    assert {"A=file", "B=two words", f"C=one-{unit}", "0077"} <= set(seen)
    assert not any(line.startswith("D=") for line in seen)


def test_a_credential_is_a_private_copy_that_goes_with_the_service(systemd: Systemd) -> None:
    secret = systemd.root / "etc/pharos-contract-secret"
    secret.write_text("hidden\n")
    secret.chmod(0o400)
    show = "/bin/sh -c 'echo \"$$CREDENTIALS_DIRECTORY\"; cat %d/token; echo end; exec sleep 1000'"
    unit = systemd.service(start=show, extra="LoadCredential=token:/etc/pharos-contract-secret")
    systemd("start", unit)
    directory, content, *_ = systemd.wait_for_line(unit, "end")
    secret.unlink()
    assert content == "hidden"
    assert Path(directory, "token").stat().st_mode & 0o077 == 0
    systemd("stop", unit)
    assert not Path(directory).exists()


def test_each_instance_has_a_runtime_directory_that_goes_with_it(systemd: Systemd) -> None:
    extra = f"RuntimeDirectory={NAME}/%i\nRuntimeDirectoryMode=0750"
    systemd.service(f"{NAME}@.service", "/bin/sh -c 'touch %t/pharos-contract/%i/beat; exec sleep 1000'", extra)
    units = [f"{NAME}@{instance}.service" for instance in ("one", "two")]
    systemd("start", *units)
    directory = systemd.root / "run" / NAME
    assert (directory / "one").stat().st_mode & 0o777 == 0o750
    systemd("stop", units[0])
    assert not (directory / "one").exists()
    assert (directory / "two").is_dir()
