"""Interruptions of the real program on a real systemd: kills, power cuts, lost terminals, a second operator."""

import os
import pty
import subprocess
import time
from collections.abc import Callable

import pytest

from fixtures.lab.small_site import GOOD, SmallSite
from tests.lab.interrupting import (
    FORWARD,
    NAMES,
    NEXT,
    POINTS,
    assert_recovered_before_agents,
    assert_settled,
    ended,
    stopped_at,
    until_event,
)
from tests.lab.running import assert_runs, recorded
from tests.lab.waiting import until

Qualified = Callable[[int, str, str], None]
Point = tuple[str, str]
PROBE = ("step.started", "probe")


@pytest.mark.parametrize("point", POINTS, ids=NAMES)
def test_a_run_killed_in_any_step_is_recovered(site: SmallSite, qualified: Qualified, point: Point) -> None:
    process = stopped_at(site, point)
    site.machine.kill_commands()
    ended(process)
    began = time.monotonic()
    assert site.machine.run(site.program, "recover").returncode == 0
    seconds = time.monotonic() - began
    release = assert_settled(site, point)
    qualified(7, f"SIGKILL at {' '.join(point)}", f"recover: {seconds:.1f} s, then '{release}'")


@pytest.mark.parametrize("point", POINTS, ids=NAMES)
def test_a_power_cut_in_any_step_is_recovered_at_boot_before_any_agent(
    site: SmallSite, qualified: Qualified, point: Point
) -> None:
    process = stopped_at(site, point)
    site.machine.kill()
    ended(process)
    site.machine.boot()
    release = assert_settled(site, point)
    assert_recovered_before_agents(site, release)
    qualified(7, f"power cut at {' '.join(point)}", f"boot: {site.machine.boot_seconds:.1f} s, then '{release}'")


def test_the_next_command_walks_back_first(site: SmallSite) -> None:
    process = stopped_at(site, PROBE)
    site.machine.kill_commands()
    ended(process)
    site.activate(NEXT)
    assert_runs(site, NEXT)


@pytest.mark.parametrize("where", ["in a unit of its own", "in this terminal"])
def test_a_closed_terminal_does_not_stop_a_run(site: SmallSite, qualified: Qualified, where: str) -> None:
    site.install_small(NEXT, "good", 3)
    master, slave = pty.openpty()
    words = ("setsid", "--wait", "--ctty", site.program, "activate", "--json", "--release", NEXT)
    more = ("--foreground",) if where == "in this terminal" else ()
    handles = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
    process = site.machine.start(*words, *more, **handles)
    os.close(slave)
    _read_until(master, b'"step": "probe"')
    os.close(master)  # the kernel sends SIGHUP to the session
    process.wait(60)
    until(lambda: recorded(site.machine) == NEXT)
    assert_runs(site, NEXT)
    qualified(7, f"terminal closed, run {where}", "the run ends as if nothing had happened")


def _read_until(terminal: int, text: bytes) -> None:
    seen = b""
    while text not in seen:
        seen += os.read(terminal, 65536)


@pytest.mark.parametrize("name", ["TERM", "INT"])
def test_a_signal_makes_a_run_walk_back(site: SmallSite, qualified: Qualified, name: str) -> None:
    site.install_small(NEXT, "good", 30)
    process = site.start_activation(NEXT, "--foreground")
    until_event(process, PROBE)
    site.machine.check("pkill", f"-{name}", "-f", f"activate.*{NEXT}")
    process.communicate(timeout=120)
    assert process.returncode == 3
    assert_runs(site, GOOD)
    qualified(7, f"SIG{name} while agents are watched", "walks back, exit 3")


def test_of_two_at_once_one_is_told_that_the_other_has_the_lock(site: SmallSite, qualified: Qualified) -> None:
    site.install_small(NEXT, "good", 3)
    first = site.start_activation(NEXT)
    until_event(first, FORWARD[0])
    second = site.activate(GOOD, expect=75)
    assert "--wait SECONDS" in second.stdout
    first.communicate(timeout=120)
    assert first.returncode == 0
    assert_runs(site, NEXT)
    qualified(7, "two at once", "one ends, the other is told (75)")


def test_systemd_may_re_execute_itself_in_every_step(site: SmallSite, qualified: Qualified) -> None:
    site.install_small(NEXT, "good", 2)
    process = site.start_activation(NEXT, stderr=subprocess.DEVNULL)
    for point in FORWARD:
        until_event(process, point)
        site.machine.check("systemctl", "daemon-reexec")
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert_runs(site, NEXT)
    qualified(7, "systemctl daemon-reexec in every step", "recorded, exit 0")
