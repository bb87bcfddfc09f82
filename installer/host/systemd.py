"""The units port on systemd: systemctl(1), journalctl(1), systemd-analyze(1), and the unit directory."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

import attrs

from installer.host import atomic, durable
from installer.host.dropins import replacing
from installer.host.process import Completed, find, must, run, start
from installer.host.systemctl import SECONDS, order, question
from installer.paths import Paths
from states.errors import HostError
from states.unit import UNIT_FILES, UnitState, file_of

JOURNAL_LINES: Final = 2000
PROPERTIES: Final = (
    "Id,LoadState,ActiveState,UnitFileState,NeedDaemonReload,MainPID,InvocationID,NRestarts,ActiveEnterTimestamp"
)


@attrs.frozen
class RealUnits:
    """systemd, and the unit directory below `paths`; at boot jobs are queued, not waited for (`no_block`)."""

    paths: Paths
    no_block: bool = False

    def on_disk(self) -> Mapping[str, bytes]:
        """Return the bytes of each unit file of ours; a link (a mask) counts as none of ours."""
        paths = {name: self.paths.units / name for name in UNIT_FILES}
        return {name: path.read_bytes() for name, path in paths.items() if path.is_file() and not path.is_symlink()}

    def place(self, release: str, name: str) -> None:
        """Put the release's unit file into the unit directory, 0644, by rename; one that already stands is left."""
        path = self.paths.units / name
        try:
            data = (self.paths.release(release) / "units" / name).read_bytes()
            if self.on_disk().get(name) != data:
                atomic.make_directory(path.parent)
                atomic.replace(path, data, 0o644)
        except OSError as error:
            raise HostError(
                f"cannot install unit file '{path}': {error.strerror}", facts={"path": str(path)}
            ) from error

    def remove(self, name: str) -> None:
        """Remove the unit file."""
        path = self.paths.units / name
        try:
            atomic.remove(path)
        except OSError as error:
            raise HostError(f"cannot remove unit file '{path}': {error.strerror}", facts={"path": str(path)}) from error

    def reload(self) -> None:
        """Have systemd load what is on disk."""
        must(self._systemctl("daemon-reload"), "reload systemd")

    def states(self, units: Collection[str]) -> tuple[UnitState, ...]:
        """Return what `systemctl show` says of each unit, and which release its main process was started from."""
        if not units:
            return ()
        shown = question(self.paths, "show", f"--property={PROPERTIES}", *units)
        done = must(shown, "ask systemd for its units")
        blocks = [_properties(block) for block in done.stdout.strip().split("\n\n")]
        if len(blocks) != len(units):
            raise HostError(f"cannot understand systemctl: {len(units)} units were asked for, {len(blocks)} answered")
        return tuple(self._state(name, block) for name, block in zip(units, blocks, strict=True))

    def enable(self, units: Collection[str]) -> None:
        """Have the units started at boot, durably; those that are already are left alone."""
        if missing := [state.name for state in self.states(units) if not state.enabled]:
            must(self._systemctl("enable", "--quiet", *missing), f"enable {' '.join(missing)}")
            durable.pin_units(self.paths)

    def disable(self, units: Collection[str]) -> None:
        """Have the units not started at boot, durably."""
        if enabled := [state.name for state in self.states(units) if state.enabled]:
            must(self._systemctl("disable", "--quiet", *enabled), f"disable {' '.join(enabled)}")
            durable.pin_units(self.paths)

    def stop(self, units: Collection[str]) -> None:
        """Stop what is not stopped, and wait for it."""
        if active := [state.name for state in self.states(units) if state.active not in {"inactive", "failed"}]:
            must(self._systemctl("stop", *active), f"stop {' '.join(active)}")

    def reset_failed(self, units: Collection[str]) -> None:
        """Forget failures and start limits, those of running units too: each restart counts towards the limit.

        By name a unit that is not in memory is an error; a pattern that matches just that name is none.
        """
        patterns = [f"{unit[:-1]}[{unit[-1]}]" for unit in units]
        must(self._systemctl("reset-failed", *patterns), f"reset {' '.join(units)}")

    def queues(self) -> bool:
        """Return whether jobs are queued only."""
        return self.no_block

    def restart(self, units: Collection[str]) -> None:
        """Restart the units together, in one job."""
        words = ("--no-block", "restart") if self.no_block else ("restart",)
        must(self._systemctl(*words, *units), f"start {' '.join(units)}")

    def journal(self, state: UnitState) -> tuple[str, ...]:
        """Return the lines of this invocation, oldest first; a journal that cannot be read has none."""
        words = ["--no-pager", "--quiet", "--output=cat", f"--lines={JOURNAL_LINES}", f"--unit={state.name}"]
        if state.invocation:
            words.append(f"_SYSTEMD_INVOCATION_ID={state.invocation}")
        try:
            done = run([find(self.paths, "journalctl"), *words], seconds=SECONDS)
        except HostError:
            return ()
        return tuple(done.stdout.splitlines())

    def _systemctl(self, *words: str) -> Completed:
        return order(self.paths, *words)

    def _state(self, name: str, block: Mapping[str, str]) -> UnitState:
        pid = int(block.get("MainPID") or 0)
        return UnitState(
            name=name,
            load="masked" if self._masked(name) else block.get("LoadState", ""),
            active=block.get("ActiveState", ""),
            enabled=block.get("UnitFileState", "").startswith("enabled"),
            stale=block.get("NeedDaemonReload") == "yes",
            pid=pid,
            release=release_of(pid, self.paths.releases),
            invocation=block.get("InvocationID", ""),
            restarts=int(block.get("NRestarts") or 0),
            since=block.get("ActiveEnterTimestamp", ""),
            replaced=replacing(self.paths.units, name),
        )

    def _masked(self, name: str) -> bool:
        """Return whether a link to nothing masks it, of which systemd may not know yet (systemctl(1), mask)."""
        paths = (self.paths.units / each for each in {name, file_of(name)})
        return any(path.is_symlink() and os.readlink(path) == os.devnull for path in paths)


def lint(paths: Paths, directory: Path) -> tuple[str, ...]:
    """Return what `systemd-analyze verify` finds in the unit files of a directory."""
    return start_lint(paths, directory)()


def start_lint(paths: Paths, directory: Path) -> Callable[[], tuple[str, ...]]:
    """Start `systemd-analyze verify`; our own link may not lead to the program yet, which is no fault."""
    files = [str(directory / name) for name in UNIT_FILES if (directory / name).is_file()]
    ended = start([find(paths, "systemd-analyze"), "verify", "--man=no", *files], seconds=SECONDS)
    return lambda: _found(ended())


def _found(done: Completed) -> tuple[str, ...]:
    lines = [line for line in done.stderr.splitlines() if line.strip() and not _expected(line)]
    return tuple(f"systemd-analyze verify: {line}" for line in lines if done.status != 0 or _ours(line))


def release_of(pid: int, releases: Path) -> str | None:
    """Return the release that a process was started from: its program lies in that release's directory (proc(5))."""
    if not pid:
        return None
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has just ended
        return None
    below = os.fsencode(releases) + b"/"
    program = words[0]
    return program[len(below) :].split(b"/")[0].decode("utf-8", "replace") if program.startswith(below) else None


def _properties(block: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in block.splitlines())
    return {key: value for key, _, value in pairs}


def _expected(line: str) -> bool:
    return "is not executable" in line and "/opt/pharos-hpc/" in line


def _ours(line: str) -> bool:
    return any(name in line for name in UNIT_FILES)
