"""A run as a transient unit of systemd (systemd-run(1)): it outlives the terminal that asked for it."""

import os
import secrets
import select
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

from installer.host import atomic
from installer.host.process import ask, find, must
from installer.host.systemctl import question
from installer.paths import Paths
from states.errors import HostError

PREFIX: Final = "pharos-hpc-run-"
SECONDS: Final = 30.0  # for systemd-run
KEPT: Final = 20  # event files of past runs; they lie on a file system that a reboot empties
PROPERTIES: Final = ("KillMode=mixed", "TimeoutStopSec=600", "StandardError=inherit")


@attrs.frozen
class TransientRun:
    """A run that was started: its unit, and the file of its output: events, one JSON object a line."""

    paths: Paths
    unit: str
    events: Path

    def ask_to_stop(self) -> None:
        """Send SIGINT to the run's own process: it walks back."""
        question(self.paths, "kill", "--kill-who=main", "--signal=SIGINT", self.unit)

    def process(self) -> int | None:
        """Return an open pidfd (pidfd_open(2)) of the run's own process; None when it has ended."""
        words = ("show", "--property=MainPID", "--value", self.unit)
        pid = int(
            must(
                ask([find(self.paths, "systemctl"), *words], seconds=SECONDS), f"ask systemd for '{self.unit}'"
            ).stdout.strip()
            or 0
        )
        try:
            return os.pidfd_open(pid) if pid else None
        except ProcessLookupError:
            return None


def booted(paths: Paths) -> bool:
    """Return whether systemd is this host's PID 1 (sd_booted(3))."""
    return (paths.root / "run/systemd/system").is_dir()


def start(paths: Paths, words: Sequence[str | Path], *, command: str, operator: str) -> TransientRun:
    """Start a program as a transient unit and return when it is running; `operator` is who asks for it.

    Raises:
        HostError: systemd-run is not there, or systemd does not start it.

    """
    _make_room(paths.runs)
    name = PREFIX + secrets.token_hex(4)
    run = TransientRun(paths, f"{name}.service", paths.runs / f"{name}.jsonl")
    settings = [
        "--collect",
        "--quiet",
        "--service-type=exec",
        f"--unit={run.unit}",
        f"--description=pharos-hpc {command}, asked for by {operator}",
        f"--setenv=SUDO_USER={operator}",
        f"--property=WorkingDirectory=-{_here()}",
        f"--property=StandardOutput=file:{run.events}",
        *(f"--property={setting}" for setting in PROPERTIES),
    ]
    must(ask([find(paths, "systemd-run"), *settings, "--", *words], seconds=SECONDS), "start a unit for this run")
    return run


def under_way(paths: Paths) -> TransientRun | None:
    """Return the newest run that has not ended."""
    for events in reversed(_oldest_first(paths.runs)):
        run = TransientRun(paths, f"{events.stem}.service", events)
        if (process := run.process()) is not None:
            os.close(process)
            return run
    return None


def lines(events: Path, process: int | None) -> Iterator[str | None]:
    """Return the lines of a run's events as they come, until its process has ended; None when there is nothing new."""
    with events.open(encoding="utf-8", errors="replace") as file:
        while True:
            over = process is None or _ended(process)
            for line in file:
                yield line.rstrip("\n")
            if over:
                return
            yield None


def _ended(process: int) -> bool:
    return bool(select.select([process], [], [], 0)[0])


def _oldest_first(runs: Path) -> list[Path]:
    return sorted(runs.glob(f"{PREFIX}*.jsonl"), key=lambda path: path.stat().st_mtime_ns)


def _make_room(runs: Path) -> None:
    try:
        atomic.make_directory(runs.parent)
        atomic.make_directory(runs, 0o700)
        _forget(runs)
    except OSError as error:
        raise HostError(f"cannot keep a run's events in '{runs}': {error.strerror}") from error


def _forget(runs: Path) -> None:
    """Remove the event files of the oldest runs; more than KEPT are never under way at once."""
    for path in _oldest_first(runs)[: -KEPT or None]:
        path.unlink(missing_ok=True)


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/"
