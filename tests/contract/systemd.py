"""A service manager under test, whichever it is: the stand-in, or the machine's own systemd."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import attrs

NAME = "pharos-contract"
RUN_FOR_EVER = "/bin/sh -c 'echo up; exec sleep 1000'"


@attrs.frozen
class Systemd:
    """A service manager under test: how to run its programs, and where it reads unit files."""

    run: Callable[..., subprocess.CompletedProcess[str]]
    units: Path
    root: Path

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("systemctl", *arguments)

    def write(self, name: str, text: str) -> Path:
        path = self.units / name
        path.parent.mkdir(mode=0o755, exist_ok=True)
        path.write_text(text)
        return path

    def service(self, name: str = f"{NAME}.service", start: str = RUN_FOR_EVER, extra: str = "") -> str:
        """Write a service, have it loaded, and return its name."""
        install = "[Install]\nWantedBy=multi-user.target\n"
        self.write(name, f"[Service]\nType=exec\nExecStart={start}\n{extra}\n{install}")
        assert self("daemon-reload").returncode == 0
        return name

    def show(self, unit: str, *names: str) -> dict[str, str]:
        lines = self("show", "-p", ",".join(names), unit).stdout.splitlines()
        return dict(line.split("=", 1) for line in lines)

    def property(self, unit: str, name: str) -> str:
        return self.show(unit, name)[name]

    def wait(self, unit: str, name: str, value: str) -> None:
        """Return when a property has a value; what a service does by itself has no other end to wait for."""
        deadline = time.monotonic() + 15
        while (seen := self.property(unit, name)) != value:
            assert time.monotonic() < deadline, f"{name} of {unit} stays {seen}, not {value}"
            time.sleep(0.02)

    def lines(self, unit: str) -> list[str]:
        invocation = self.property(unit, "InvocationID")
        match = f"_SYSTEMD_INVOCATION_ID={invocation}"
        return self.run("journalctl", "-u", unit, match, "-o", "cat", "--no-pager").stdout.splitlines()

    def wait_for_line(self, unit: str, text: str) -> list[str]:
        deadline = time.monotonic() + 15
        while text not in (seen := self.lines(unit)):
            assert time.monotonic() < deadline, seen
            time.sleep(0.02)
        return seen


def alive(pid: str) -> bool:
    """Whether a process is there and has not ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"
