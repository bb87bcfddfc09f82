"""Nothing of a machine is left, however the test ends; nothing of the host's own is touched."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.lab.container import Container, container
from fixtures.lab.host import cgroup2
from fixtures.lab.image import Debian
from fixtures.lab.store import Store, store

Qualified = Callable[[int, str, str], None]
REPOSITORY = Path(__file__).parents[2]
RUNNER = """
from fixtures.lab.container import container
from fixtures.lab.store import store
with store() as made, container(made) as machine:
    machine.start("sleep", "1000")
    print(made.state, machine.leader, machine.world.network, made.holder, flush=True)
    {then}
"""


class Left:
    """What is left of a store: asked after its end.

    Its namespaces are held open, which is no process in them: a namespace of somebody else could have the same number.
    """

    def __init__(self, state: Path, *pids: int) -> None:
        self.state = state
        self.group = cgroup2() / state.name
        names = [f"/proc/{pid}/ns/{kind}" for pid in pids for kind in ("mnt", "pid", "net", "uts")]
        self.held = [os.open(name, os.O_RDONLY) for name in names]
        self.spaces = {os.readlink(name) for name in names}
        self.spaces -= {os.readlink(f"/proc/self/ns/{kind}") for kind in ("mnt", "pid", "net", "uts")}

    def __call__(self) -> list[str]:
        mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(self.state) in line]
        inside = [link for link in _namespaces() if link in self.spaces]
        return [*map(str, filter(Path.exists, (self.state, self.group))), *mounts, *inside]


def _namespaces() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        for kind in ("mnt", "pid", "net", "uts"):
            try:
                yield os.readlink(process / "ns" / kind)
            except OSError:
                continue


def _gone(left: Left) -> float:
    began = time.monotonic()
    while there := left():
        assert time.monotonic() < began + 30, there
        time.sleep(0.02)  # waits for the guard, which is not our child
    for handle in left.held:
        os.close(handle)
    return time.monotonic() - began


def _runner(then: str) -> tuple[subprocess.Popen[str], Left]:
    command = [sys.executable, "-c", RUNNER.format(then=then)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=REPOSITORY, text=True, **pipes)
    assert process.stdout is not None
    state, *pids = process.stdout.readline().split()
    return process, Left(Path(state), *map(int, pids))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_runner_is_killed(number: signal.Signals, qualified: Qualified) -> None:
    process, left = _runner("input()")
    assert left()
    process.send_signal(number)
    process.communicate()
    qualified(1, f"nothing is left after {number.name} of the test runner", f"gone in {_gone(left):.1f} s")


def test_nothing_is_left_when_a_test_fails(qualified: Qualified) -> None:
    process, left = _runner("raise AssertionError(input())")
    process.communicate("a test failed\n")
    assert process.returncode == 1
    qualified(1, "nothing is left after a test that failed", f"gone in {_gone(left):.1f} s")


def test_nothing_is_left_when_a_machine_does_not_boot(tmp_path: Path) -> None:
    with store() as made:
        left = Left(made.state, made.holder)
        with pytest.raises(RuntimeError, match="did not boot"), container(made, base=tmp_path):
            pass
    assert not left()
    _gone(left)


def test_a_machine_is_a_debian_with_systemd_as_its_first_process(machine: Container, qualified: Qualified) -> None:
    assert machine.check("systemctl", "is-system-running").strip() == "running"
    assert machine.check("cat", "/proc/1/comm").strip() == "systemd"
    assert machine.check("systemctl", "--failed", "--no-legend") == ""
    qualified(1, "boot to the default target", f"{machine.boot_seconds:.1f} s")


def test_a_machine_writes_nothing_of_the_host(machine: Container) -> None:
    before = _host()
    machine.check("useradd lab-was-here && echo 1 >/opt/lab-was-here && echo 1 >/etc/lab-was-here && hostname other")
    assert _host() == before
    assert "lab-was-here" not in Path("/etc/passwd").read_text()


def _host() -> list[tuple[str, int, int]]:
    """Everything in /etc and /opt: path, inode, time of change."""
    paths = (path for top in ("/etc", "/opt") for path in (Path(top), *Path(top).rglob("*")))
    return sorted((str(path), stat.st_ino, stat.st_mtime_ns) for path in paths for stat in [path.lstat()])


def test_each_test_has_a_machine_of_its_own(machine: Container, machines: Store) -> None:
    machine.check("echo 1 >/etc/mark && useradd mark")
    with container(machines) as other:
        assert other.run("cat /etc/mark || id mark").returncode != 0
        assert other.check("cat", "/etc/machine-id") != machine.check("cat", "/etc/machine-id")


def test_a_machine_has_a_network_of_its_own_and_no_other(machine: Container) -> None:
    assert machine.check("ls", "/sys/class/net").split() == ["lo"]


def test_what_was_written_is_there_after_the_plug_was_pulled_and_after_a_reboot(
    machine: Container, qualified: Qualified
) -> None:
    machine.check("echo kept >/etc/kept")
    machine.kill()
    machine.boot()
    assert machine.check("cat", "/etc/kept") == "kept\n"
    began = time.monotonic()
    machine.reboot()
    qualified(1, "clean reboot on the same disk", f"{time.monotonic() - began:.1f} s")
    assert machine.check("cat", "/etc/kept") == "kept\n"
    assert len(machine.check("journalctl", "--list-boots", "--quiet").splitlines()) == 3


def test_versions(machine: Container, debian: Debian, qualified: Qualified) -> None:
    words = machine.check(
        f"systemctl --version; {debian.python} --version; slapd -VV 2>&1; slurmctld -V; sshd -V 2>&1; sssd --version"
    )
    found = dict(_version(line) for line in words.splitlines() if _version(line)[0])
    assert set(found) == {"systemd", "Python", "OpenLDAP", "Slurm", "OpenSSH"}
    qualified(0, "Debian", machine.check("cat", "/etc/debian_version").strip())
    for name, number in found.items():
        qualified(0, name, number)


def _version(line: str) -> tuple[str, str]:
    words = line.replace("@(#) $OpenLDAP: slapd", "OpenLDAP").replace("_", " ").replace(",", "").split() or [""]
    names = {
        "systemd": "systemd",
        "Python": "Python",
        "OpenLDAP": "OpenLDAP",
        "slurm-wlm": "Slurm",
        "OpenSSH": "OpenSSH",
    }
    return names.get(words[0], ""), words[1] if len(words) > 1 else ""
