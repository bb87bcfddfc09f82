"""A terminal only follows the run that it asked for; closing it, or killing the follower, ends nothing."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fixtures.site import Site
from installer import exits

SECONDS = 60


@pytest.fixture
def releases(host: Site) -> Iterator[Callable[..., str]]:
    """Give what installs a further small release with one that is good already active, and returns its name."""
    names = (f"R{number}" for number in range(time.monotonic_ns(), time.monotonic_ns() + 100))

    def install(**how: Any) -> str:
        name = next(names)
        host.install(name, **how)
        return name

    assert host.run("activate", "--release", install()).returncode == exits.DONE
    yield install
    assert host.run("recover", "--wait", "60").returncode == exits.DONE
    status = json.loads(host.run("status", "--json").stdout)
    assert status["consistent"], status["differences"]


def started(host: Site, *words: str, **how: Any) -> subprocess.Popen[str]:
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(host.command(*words), env=host.environment, text=True, **{**silent, **how})


def until(true: Callable[[], Any]) -> Any:
    end = time.monotonic() + SECONDS
    while not (found := true()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)  # waits for another process
    return found


def events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def runs() -> list[str]:
    """Return the units of the runs that are under way."""
    words = ["systemctl", "list-units", "--plain", "--no-legend", "--state=active", "pharos-hpc-run-*"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


def probing(host: Site) -> Callable[[], bool]:
    def true() -> bool:
        files = [host.paths.runs / f"{unit.removesuffix('.service')}.jsonl" for unit in runs()]
        return any('"step": "probe"' in file.read_text() for file in files)

    return true


def recorded(host: Site) -> str:
    return str(json.loads(host.paths.record.read_text())["release"])


def test_following_shows_the_events_and_returns_the_exit_code_of_the_run(
    host: Site, releases: Callable[..., str]
) -> None:
    release = releases()
    done = host.run("activate", "--release", release)
    told = events(done.stdout)
    assert done.returncode == exits.DONE
    assert [told[0]["event"], told[-1]["event"]] == ["run.started", "run.finished"]
    assert told[-1]["operator"] == "alice"
    assert host.run("activate", "--release", "none-such").returncode == exits.REFUSED
    failed = host.run("activate", "--release", releases(behaviour="dies"))
    assert (failed.returncode, recorded(host)) == (exits.PREVIOUS, release)


def test_following_can_end_with_the_terminal_and_the_run_goes_on(host: Site, releases: Callable[..., str]) -> None:
    release = releases(settle=3)
    master, slave = pty.openpty()
    handles = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
    child = started(host, "activate", "--release", release, **handles)
    os.close(slave)
    until(probing(host))
    os.close(master)
    child.kill()
    child.wait(SECONDS)
    until(lambda: not runs())
    assert recorded(host) == release


def test_following_and_a_killed_scope_are_apart(host: Site, releases: Callable[..., str]) -> None:
    release = releases(settle=3)
    scope = [
        "systemd-run",
        "--scope",
        "--quiet",
        "--unit=login-session",
        *host.command("activate", "--release", release),
    ]
    child = subprocess.Popen(scope, env=host.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(probing(host))
    subprocess.run(["systemctl", "kill", "--signal=SIGKILL", "login-session.scope"], check=True)
    assert child.wait(SECONDS) == -signal.SIGKILL
    until(lambda: not runs())
    assert recorded(host) == release


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_following_passes_ctrl_c_on_and_the_run_walks_back(
    host: Site, releases: Callable[..., str], number: signal.Signals
) -> None:
    before = recorded(host)
    child = started(host, "activate", "--release", releases(settle=60))
    until(probing(host))
    child.send_signal(number)
    out, _ = child.communicate(timeout=SECONDS)
    assert (child.returncode, recorded(host)) == (exits.PREVIOUS, before)
    assert "SIGINT" in events(out)[-1]["error"]["message"]


def test_following_from_a_second_terminal_shows_all_and_leaving_ends_nothing(
    host: Site, releases: Callable[..., str]
) -> None:
    release = releases(settle=3)
    first = started(host, "activate", "--release", release)
    until(probing(host))
    second, leaving = started(host, "follow"), started(host, "follow")
    until(lambda: leaving.stdout and leaving.stdout.readline())
    leaving.send_signal(signal.SIGINT)
    leaving.communicate(timeout=SECONDS)
    assert leaving.returncode == exits.DONE
    outputs = [child.communicate(timeout=SECONDS)[0] for child in (first, second)]
    assert outputs[0] == outputs[1]
    assert (first.returncode, second.returncode, recorded(host)) == (exits.DONE, exits.DONE, release)
    assert host.run("follow").returncode == exits.REFUSED


def test_following_a_killed_run_says_that_it_was_stopped(host: Site, releases: Callable[..., str]) -> None:
    before = recorded(host)
    child = started(host, "activate", "--release", releases(settle=60))
    until(probing(host))
    subprocess.run(["systemctl", "kill", "--signal=SIGKILL", *runs()], check=True)
    _, told = child.communicate(timeout=SECONDS)
    assert (child.returncode, recorded(host)) == (exits.STRANDED, before)
    assert "pharos-hpc status" in told


def test_following_survives_a_reexecution_of_systemd(host: Site, releases: Callable[..., str]) -> None:
    release = releases(settle=3)
    child = started(host, "activate", "--release", release)
    until(probing(host))
    subprocess.run(["systemctl", "daemon-reexec"], check=True)
    told = child.communicate(timeout=SECONDS)
    assert (child.returncode, recorded(host)) == (exits.DONE, release), told


def test_following_is_left_out_in_the_foreground(host: Site, releases: Callable[..., str]) -> None:
    before = set(host.paths.runs.glob("*"))
    assert host.run("activate", "--foreground", "--release", releases()).returncode == exits.DONE
    assert set(host.paths.runs.glob("*")) == before


def test_following_falls_back_to_this_terminal_where_no_unit_can_be_started(
    host: Site, releases: Callable[..., str]
) -> None:
    program = "/usr/bin/systemd-run"
    subprocess.run(["mount", "--bind", "/usr/bin/false", program], check=True)
    try:
        done = host.run("activate", "--release", releases())
    finally:
        subprocess.run(["umount", program], check=True)
    assert done.returncode == exits.DONE
    assert "it runs in this terminal instead" in done.stderr
