"""Signals, a lost terminal, closed or full outputs, two runs at once: none of them leaves a host in between."""

import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from fixtures.site import REPOSITORY, Site
from installer import exits
from tests.e2e.test_activate import activated, events, status

SECONDS = 30


def started(site: Site, *words: str, **how: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        site.command(*words),
        cwd=REPOSITORY,
        env=site.environment,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **how},
    )


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)  # waits for another process


def probing(site: Site, after: int = 0) -> Callable[[], bool]:
    def true() -> bool:
        log = site.paths.step_log
        return log.exists() and log.read_bytes()[after:].count(b'"step": "probe"') > 0

    return true


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_on_the_way_forward_brings_the_previous_release_back(site: Site, number: int) -> None:
    activated(site, "A")
    site.install("B", settle=60)
    size = site.paths.step_log.stat().st_size
    child = started(site, "activate", "--release", "B", stdout=subprocess.PIPE)
    until(probing(site, size))
    child.send_signal(number)
    out, _ = child.communicate(timeout=SECONDS)
    assert child.returncode == exits.PREVIOUS
    assert signal.Signals(number).name in events(out.decode())[-1]["error"]["message"]
    answer = status(site)
    assert (answer["release"], answer["consistent"]) == ("A", True)


def test_a_dropped_connection_does_not_stop_a_run(site: Site) -> None:
    activated(site, "A")
    site.install("B", settle=2)
    size = site.paths.step_log.stat().st_size
    master, slave = pty.openpty()
    child = started(site, "activate", "--release", "B", stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    until(probing(site, size))
    child.send_signal(signal.SIGHUP)
    os.close(master)
    assert child.wait(SECONDS) == exits.DONE
    assert status(site)["release"] == "B"


def test_closed_and_full_outputs_stop_nothing(site: Site) -> None:
    site.install("A")
    with open("/dev/full", "wb") as full:
        assert started(site, "activate", "--release", "A", stdout=full, stderr=full).wait(SECONDS) == exits.DONE
    site.install("B")
    words = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *site.command("activate", "--release", "B")]
    done = subprocess.run(words, check=False, cwd=REPOSITORY, env=site.environment, timeout=60)
    assert done.returncode == exits.DONE
    assert status(site)["release"] == "B"


def test_a_second_run_says_who_holds_the_lock(site: Site) -> None:
    activated(site, "A")
    site.install("B", settle=60)
    size = site.paths.step_log.stat().st_size
    child = started(site, "activate", "--release", "B")
    until(probing(site, size))
    second = site.run("stop")
    assert second.returncode == exits.LOCKED
    told = events(second.stdout)[-1]["message"]
    assert "'activate'" in told
    assert f"pid {child.pid}" in told
    assert site.run("status").returncode == exits.STRANDED, "status needs no lock"
    child.terminate()
    assert site.run("stop", "--wait", "30").returncode == exits.DONE
    assert child.wait(SECONDS) == exits.PREVIOUS


def test_the_terminal_sees_a_line_a_step_and_a_last_sentence(site: Site) -> None:
    site.install("A")
    master, slave = pty.openpty()
    child = started(site, "activate", "--release", "A", stdout=slave)
    os.close(slave)
    seen = b""
    while True:
        try:
            seen += os.read(master, 4096)
        except OSError:
            break
    os.close(master)
    assert child.wait(SECONDS) == exits.DONE
    lines = seen.decode().splitlines()
    assert [line.split()[1] for line in lines[:6]] == ["verification", "links", "unit", "start", "health", "record"]
    assert "release 'A' is active" in seen.decode()
    assert "\x1b[" not in seen.decode(), "no colour without TERM"


def test_a_systemctl_that_hangs_is_a_failed_step_not_a_hung_program(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from installer.host import systemctl, systemd
    from states.errors import HostError

    activated(site, "A")
    monkeypatch.setattr(systemctl, "SECONDS", 1.0)
    site.sandbox.wrap("systemctl", 'case "$*" in *daemon-reload*) exec sleep 1000;; esac; exec "$real" "$@"')
    with pytest.raises(HostError, match="no end after 1 s"):
        systemd.RealUnits(site.paths).reload()
    site.sandbox.unwrap("systemctl")


def test_a_mask_of_an_administrator_is_refused(site: Site) -> None:
    site.install("A")
    site.sandbox.systemctl("mask", "pharos-ssh-access-agent.service")
    done = site.run("activate", "--release", "A")
    assert done.returncode == exits.REFUSED
    assert "masked" in events(done.stdout)[-1]["message"]
    site.sandbox.systemctl("unmask", "pharos-ssh-access-agent.service")
    assert site.run("activate", "--release", "A").returncode == exits.DONE


def test_an_activation_without_a_way_back_is_refused_unless_asked_for(site: Site) -> None:
    from fixtures.small_release import damage_release

    activated(site, "A")
    site.install("B")
    damage_release(site.paths, "A")
    refused = site.run("activate", "--release", "B")
    assert refused.returncode == exits.REFUSED
    assert "no way back" in events(refused.stdout)[-1]["message"]
    assert site.run("activate", "--release", "B", "--no-way-back").returncode == exits.DONE


def test_a_systemd_that_reexecutes_itself_is_asked_again(site: Site) -> None:
    activated(site, "A")
    count = site.sandbox.root / "count"
    site.sandbox.wrap(
        "systemctl",
        f"echo >>{count}\n"
        f"if [ $(($(wc -l <{count}) % 3)) != 0 ]; then echo 'Failed: Connection reset by peer' >&2; exit 1; fi\n"
        'exec "$real" "$@"',
    )
    site.install("B")
    assert site.run("activate", "--release", "B").returncode == exits.DONE
    site.sandbox.unwrap("systemctl")
