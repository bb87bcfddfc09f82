"""What we rely on in a service manager: how services end, come back and give up."""

import os
import signal

from tests.contract.systemd import NAME, RUN_FOR_EVER, Systemd, alive

# --- ending ----------------------------------------------------------------------------------------------


def test_a_stopped_service_is_inactive_and_its_process_gone(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    pid = systemd.property(unit, "MainPID")
    assert systemd("stop", unit).returncode == 0
    assert not alive(pid)
    result = systemd("is-active", unit)
    assert (result.returncode, result.stdout) == (3, "inactive\n")
    assert systemd.property(unit, "MainPID") == "0"


def test_stopping_takes_the_whole_family(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'sleep 1000 & echo $$!; echo end; wait'")
    systemd("start", unit)
    child = systemd.wait_for_line(unit, "end")[0]
    systemd("stop", unit)
    assert not alive(child)


def test_a_service_that_ignores_the_request_is_killed_after_its_time(systemd: Systemd) -> None:
    stubborn = "/bin/sh -c 'trap \"\" TERM; echo up; while :; do sleep 0.05; done'"
    unit = systemd.service(start=stubborn, extra="TimeoutStopSec=500ms")
    systemd("start", unit)
    systemd.wait_for_line(unit, "up")
    pid = systemd.property(unit, "MainPID")
    systemd("stop", unit)
    assert not alive(pid)
    assert systemd.property(unit, "Result") == "timeout"


def test_a_unit_that_is_not_there_cannot_be_stopped(systemd: Systemd) -> None:
    result = systemd("stop", f"{NAME}-unknown.service")
    assert result.returncode == 5
    assert "not loaded" in result.stderr


def test_a_service_that_dies_is_restarted_as_another_invocation(systemd: Systemd) -> None:
    unit = systemd.service(extra="Restart=on-failure\nRestartSec=100ms")
    systemd("start", unit)
    before = systemd.show(unit, "MainPID", "InvocationID")
    os.kill(int(before["MainPID"]), signal.SIGKILL)
    systemd.wait(unit, "NRestarts", "1")
    systemd.wait(unit, "ActiveState", "active")
    after = systemd.show(unit, "MainPID", "InvocationID")
    assert before["InvocationID"] != after["InvocationID"]
    assert before["MainPID"] != after["MainPID"]


def test_between_two_lives_a_service_is_activating(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'exit 7'", extra="Restart=on-failure\nRestartSec=1h")
    systemd("start", unit)
    systemd.wait(unit, "SubState", "auto-restart")
    seen = systemd.show(unit, "ActiveState", "Result", "ExecMainStatus", "MainPID")
    assert seen == {"ActiveState": "activating", "Result": "exit-code", "ExecMainStatus": "7", "MainPID": "0"}
    systemd("stop", unit)
    assert systemd.property(unit, "ActiveState") != "activating"


def test_a_service_that_ends_well_is_not_restarted(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'exit 0'", extra="Restart=on-failure\nRestartSec=100ms")
    systemd("start", unit)
    systemd.wait(unit, "ActiveState", "inactive")
    assert systemd.property(unit, "NRestarts") == "0"


CRASH_LOOP = "Restart=on-failure\nRestartSec=20ms\n[Unit]\nStartLimitIntervalSec=60\nStartLimitBurst=3"


def test_a_crash_loop_ends_in_failure(systemd: Systemd) -> None:
    unit = systemd.service(start="/bin/sh -c 'exit 1'", extra=CRASH_LOOP)
    systemd("start", unit)
    systemd.wait(unit, "ActiveState", "failed")
    assert systemd.property(unit, "Result") == "exit-code"
    result = systemd("is-active", unit)
    assert (result.returncode, result.stdout) == (3, "failed\n")


def test_after_the_start_limit_only_reset_failed_helps(systemd: Systemd) -> None:
    well = systemd.root / "run/pharos-contract-well"
    unit = systemd.service(start=f"/bin/sh -c 'test -e {well} && exec sleep 1000'", extra=CRASH_LOOP)
    systemd("start", unit)
    systemd.wait(unit, "ActiveState", "failed")
    well.touch()
    try:
        before = systemd.property(unit, "InvocationID")
        assert systemd("start", unit).returncode == 1
        assert systemd.property(unit, "InvocationID") == before
        assert systemd("reset-failed", unit).returncode == 0
        assert systemd("start", unit).returncode == 0
        assert systemd.property(unit, "NRestarts") == "0"
    finally:
        well.unlink()


def test_restarts_by_hand_count_towards_the_start_limit_until_reset_failed(systemd: Systemd) -> None:
    unit = systemd.service(extra="[Unit]\nStartLimitIntervalSec=300\nStartLimitBurst=2")
    for _ in range(2):
        assert systemd("restart", unit).returncode == 0
    assert systemd("reset-failed", unit).returncode == 0
    for _ in range(2):
        assert systemd("restart", unit).returncode == 0
    refused = systemd("restart", unit)
    assert refused.returncode == 1
    assert f'"systemctl reset-failed {unit}"' in refused.stderr
    assert systemd.show(unit, "ActiveState", "Result") == {"ActiveState": "failed", "Result": "start-limit-hit"}


def test_a_unit_that_is_not_in_memory_has_no_failure_to_forget(systemd: Systemd) -> None:
    unit = systemd.write(f"{NAME}.service", f"[Service]\nExecStart={RUN_FOR_EVER}\n").name
    result = systemd("reset-failed", unit)
    assert result.returncode == 1
    assert f"Unit {unit} not loaded." in result.stderr
    assert systemd("reset-failed", f"{NAME}*").returncode == 0


def test_kill_reaches_the_main_process(systemd: Systemd) -> None:
    unit = systemd.service()
    systemd("start", unit)
    assert systemd("kill", "--kill-whom=main", "-s", "SIGKILL", unit).returncode == 0
    systemd.wait(unit, "ActiveState", "failed")
    assert systemd.show(unit, "Result", "ExecMainCode", "ExecMainStatus") == {
        "Result": "signal", "ExecMainCode": "2", "ExecMainStatus": "9",
    }  # fmt: skip
