"""Following a unit's events, on a service of the sandbox that speaks as a run does; systemd's own: tests/transient."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fixtures.sandbox import Sandbox
from installer import exits
from installer.environment import Caller
from installer.following import Shown, follow, run_apart
from installer.host import transient
from installer.host.transient import TransientRun
from installer.paths import Paths
from states.errors import HostError
from tests.contract.systemd import Systemd

SPEAKER = """\
import json, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
file = open(sys.argv[1], "a")
def say(**event):
    print(json.dumps(event), file=file, flush=True)
say(event="run.started")
print("words on standard error", file=file, flush=True)
if len(sys.argv) > 2:
    signal.sigwait({signal.SIGINT})
say(event="run.finished", exit_code=3, message="the previous release is active again", hint="")
"""


def caller(sandbox: Sandbox) -> Caller:
    return Caller(Paths(sandbox.root), "alice", "", no_color=True, columns=80)


@pytest.fixture
def run(sandbox: Sandbox) -> TransientRun:
    """Give a run that waits for SIGINT after its first words."""
    paths = Paths(sandbox.root)
    paths.runs.mkdir(parents=True)
    events = paths.runs / "pharos-hpc-run-one.jsonl"
    events.touch()
    script = sandbox.root / "speaker.py"
    script.write_text(SPEAKER)
    systemd = Systemd(sandbox.run, sandbox.path("/etc/systemd/system"), sandbox.root)
    systemd.service("pharos-hpc-run-one.service", f"{sys.executable} {script} {events} wait")
    assert sandbox.systemctl("start", "pharos-hpc-run-one.service").returncode == 0
    end = time.monotonic() + 20
    while "standard error" not in events.read_text():
        assert time.monotonic() < end
        time.sleep(0.02)  # waits for another process
    return TransientRun(paths, "pharos-hpc-run-one.service", events)


def test_a_run_is_shown_to_its_end_and_its_exit_code_is_ours(
    sandbox: Sandbox, run: TransientRun, capfd: pytest.CaptureFixture[str]
) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # Ctrl-C, which is passed on
        code = follow(run, caller(sandbox), as_json=True, interrupted=run.ask_to_stop)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    shown = capfd.readouterr()
    assert code == exits.PREVIOUS
    assert [json.loads(line)["event"] for line in shown.out.splitlines()] == ["run.started", "run.finished"]
    assert shown.err == "words on standard error\n"


def test_the_newest_run_that_is_under_way_is_found(sandbox: Sandbox, run: TransientRun) -> None:
    newer = run.paths.runs / "pharos-hpc-run-two.jsonl"
    newer.touch()
    assert transient.under_way(run.paths) == run
    run.ask_to_stop()
    end = time.monotonic() + 20
    while (process := run.process()) is not None:
        os.close(process)
        assert time.monotonic() < end
        time.sleep(0.02)  # waits for another process
    assert transient.under_way(run.paths) is None
    assert run.process() is None
    assert not transient.booted(Paths(sandbox.root / "nowhere"))


def test_events_come_as_they_are_written_until_the_process_has_ended(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events.touch()
    child = subprocess.Popen([sys.executable, "-c", SPEAKER, str(events)])
    process = os.pidfd_open(child.pid)
    lines = [line for line in transient.lines(events, process) if line is not None]
    assert len(lines) == 3
    assert child.wait() == 0
    os.close(process)


def test_a_run_that_never_began_and_one_that_was_killed_are_told_apart(capfd: pytest.CaptureFixture[str]) -> None:
    never = Shown(None)
    never.line("pharos-hpc: cannot use 'manifest'")
    assert never.code == exits.REFUSED
    killed = Shown(None)
    killed.line('{"event": "run.started"}')
    assert killed.code == exits.STRANDED
    killed.line("[" * 100_000)
    killed.line('["no", "event"]')
    assert killed.code == exits.STRANDED
    assert "cannot use 'manifest'" in capfd.readouterr().err


def test_what_runs_in_a_sandbox_or_only_asks_is_never_a_unit(sandbox: Sandbox) -> None:
    from installer.cli import parse

    for words in (["activate"], ["activate", "--plan"], ["stop", "--foreground"]):
        assert run_apart(parse(words, "/x/pharos-hpc"), words, caller(sandbox)) is None


def test_where_there_is_no_systemd_run_that_is_an_error_of_the_host(sandbox: Sandbox) -> None:
    with pytest.raises(HostError, match="systemd-run"):
        transient.start(Paths(sandbox.root), ["true"], command="stop", operator="alice")
    assert Paths(sandbox.root).runs.stat().st_mode & 0o777 == 0o700


def test_event_files_of_old_runs_are_forgotten(sandbox: Sandbox) -> None:
    runs = Paths(sandbox.root).runs
    runs.mkdir(parents=True)
    for number in range(transient.KEPT + 5):
        path = runs / f"{transient.PREFIX}{number:02}.jsonl"
        path.touch()
        os.utime(path, (number, number))
    with pytest.raises(HostError):
        transient.start(Paths(sandbox.root), ["true"], command="stop", operator="alice")
    assert sorted(path.stem[-2:] for path in runs.iterdir()) == [f"{n:02}" for n in range(5, transient.KEPT + 5)]
