"""A run in a unit of its own, which this terminal only follows: a lost connection ends the follower, not the run."""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from installer import exits, jsontext
from installer.environment import Caller
from installer.host import identity, transient
from installer.host.patience import RealPatience, undisturbed
from installer.host.stream import Stream
from installer.host.transient import TransientRun
from installer.terminal import Terminal, drawn, sentence
from states.errors import HostError, Interrupted

TICK: Final = 0.1  # seconds between two looks for new events


def run_apart(args: Namespace, argv: Sequence[str], caller: Caller) -> int | None:
    """Run a command of cli.UNITS as a transient unit, follow it, and return its exit code.

    None where it is to run here: it only asks, `--foreground` is given, in a sandbox, without root or systemd, and
    where systemd starts no such unit, which is said on standard error.
    """
    if args.plan or args.foreground or not _possible(caller):
        return None
    try:
        run = transient.start(caller.paths, _words(args, argv), command=args.command, operator=caller.operator)
    except HostError as error:
        Stream(2).write(f"{sentence(error)}\n  it runs in this terminal instead, and ends when the terminal does not")
        return None
    return follow(run, caller, as_json=args.json, interrupted=run.ask_to_stop)


def follow(run: TransientRun, caller: Caller, *, as_json: bool, interrupted: Callable[[], None]) -> int:
    """Show a run's events until it ends, and return its exit code; SIGINT and SIGTERM call `interrupted`."""
    show = Shown(None if as_json else drawn(caller))
    process = run.process()
    with undisturbed() as patience:
        for line in transient.lines(run.events, process):
            if line is None:
                _wait(patience, interrupted)
            else:
                show.line(line)
    if show.code == exits.STRANDED:
        Stream(2).write(f"pharos-hpc: what it said: journalctl --unit={run.unit}; where the host is: pharos-hpc status")
    return show.code


class Shown:
    """What of a run was shown, and the exit code that follows: of a run that never began, and of a killed one too."""

    def __init__(self, terminal: Terminal | None) -> None:
        self._terminal = terminal
        self.code = exits.REFUSED

    def line(self, line: str) -> None:
        """Show one line of its output: an event, or what it said on standard error."""
        event = _event(line)
        if event is None:
            Stream(2).write(line)
            return
        self.code = event.get("exit_code", exits.STRANDED)
        self._terminal.hear(event) if self._terminal else Stream(1).write(line)


def _possible(caller: Caller) -> bool:
    return not caller.sandboxed and identity.is_root() and transient.booted(caller.paths)


def _words(args: Namespace, argv: Sequence[str]) -> list[str]:
    at = argv.index(args.command) + 1
    return [sys.executable, "-I", "-S", str(args.program), *argv[:at], "--foreground", *argv[at:]]


def _wait(patience: RealPatience, interrupted: Callable[[], None]) -> None:
    try:
        patience.wait(TICK)
    except Interrupted:
        with suppress(HostError):  # it may just have ended
            interrupted()


def _event(line: str) -> dict[str, Any] | None:
    try:
        event = jsontext.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None
