"""What really runs: by systemd and by /proc, not by the word of the program."""

import json
import os
import re

from fixtures.lab.container import Container
from fixtures.lab.site import Administrator
from tests.lab.waiting import until

AGENTS = (
    "waldur-site-agent@order_process.service",
    "waldur-site-agent@membership_sync.service",
    "waldur-site-agent@report.service",
    "pharos-ssh-access-agent.service",
)
RELEASE = re.compile(rb"/opt/pharos-hpc/releases/([^/]+)/")


def assert_runs(operator: Administrator, release: str) -> None:
    """Every agent runs from the release, which the record, the links, systemd and `status --full` say as well."""
    machine = operator.machine
    assert recorded(machine) == release
    assert os.readlink(machine.path("/opt/pharos-hpc/current")) == f"releases/{release}"
    for unit in AGENTS:
        until(lambda unit=unit: running_from(machine, unit) == release)  # type: ignore[misc]
    done = machine.run("/opt/pharos-hpc/current/pharos-hpc", "status", "--full")
    assert done.returncode == 0, done.stdout + done.stderr


def recorded(machine: Container) -> str:
    """Return the release that is recorded."""
    return str(json.loads(machine.path("/var/lib/pharos-hpc/active-release").read_text())["release"])


def running_from(machine: Container, unit: str) -> str:
    """Return the release whose program a unit's main process executes, by its command line; or an empty text."""
    told = machine.unit(unit, "ActiveState", "MainPID")
    if told["ActiveState"] != "active" or told["MainPID"] == "0":
        return ""
    found = RELEASE.search(machine.path(f"/proc/{told['MainPID']}/cmdline").read_bytes())
    return found[1].decode() if found else ""


def main_pid(machine: Container, unit: str) -> str:
    """Return the pid of a unit's main process within the machine."""
    return machine.unit(unit, "MainPID")["MainPID"]
