"""A run that is stopped at a chosen event, and what must be true of the machine afterwards."""

import json
import subprocess
from typing import Any

from fixtures.lab.small_site import GOOD, SmallSite
from tests.lab.running import AGENTS, assert_runs, recorded

STEPS = ("link", "install_units", "start", "probe", "record")
FORWARD = tuple(("step.started", step) for step in STEPS)
BACK = (
    *(("compensation.started", step) for step in ("probe", "start", "install_units", "link")),
    ("resume.started", "resume"),
)
POINTS = (*FORWARD, *BACK)
NAMES = [f"{event}-{step}" for event, step in POINTS]
NEXT = "next"


def prepared(site: SmallSite, point: tuple[str, str]) -> None:
    """Install what is to be activated: a release that is well, or for the way back one that is not."""
    site.install_small(NEXT, "dies" if point in BACK else "good", 1)


def until_event(process: subprocess.Popen[str], point: tuple[str, str]) -> dict[str, Any]:
    """Read a run's events up to this one, and return it."""
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        event: dict[str, Any] = json.loads(line)
        seen.append((event["event"], event.get("step")))
        if (event["event"], event.get("step")) == point:
            return event
    raise AssertionError(f"{point} did not come: {seen}")


def stopped_at(site: SmallSite, point: tuple[str, str]) -> subprocess.Popen[str]:
    """Return an activation in this terminal that has just said that it begins with a step."""
    prepared(site, point)
    process = site.start_activation(NEXT, "--foreground", stderr=subprocess.DEVNULL)
    until_event(process, point)
    return process


def ended(process: subprocess.Popen[str]) -> None:
    """Take what is left of a killed run."""
    process.communicate(timeout=60)


def assert_settled(site: SmallSite, point: tuple[str, str]) -> str:
    """The machine is what its record says, which is one of the two releases; return which."""
    release = recorded(site.machine)
    assert release == GOOD or (release == NEXT and point in FORWARD)
    assert_runs(site, release)
    return release


def assert_recovered_before_agents(site: SmallSite, release: str) -> None:
    """In this boot recovery had ended before any agent began, and no agent ran from another release."""
    machine = site.machine
    recovery = machine.unit("pharos-hpc-recover.service", "Result", "ExecMainStatus", "ExecMainExitTimestampMonotonic")
    assert (recovery["Result"], recovery["ExecMainStatus"]) == ("success", "0")
    for unit in AGENTS:
        began = machine.unit(unit, "ExecMainStartTimestampMonotonic")["ExecMainStartTimestampMonotonic"]
        assert int(began) >= int(recovery["ExecMainExitTimestampMonotonic"]) > 0
        lines = machine.check("journalctl", "-b", "-q", "-o", "cat", "-u", unit)
        told = {json.loads(line)["event"].split()[1] for line in lines.splitlines() if '"release ' in line}
        assert told == {release}
