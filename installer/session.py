"""One run of a changing command: root, signals, lock, log, and the way back of whoever was stopped before."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import attrs

from installer import ending, exits
from installer.clock import now
from installer.ending import Ending
from installer.environment import Caller
from installer.host import history, identity, sinks
from installer.host.durable import pin
from installer.host.lock import Locked, locked
from installer.host.patience import RealPatience, undisturbed
from installer.host.real import real_host
from installer.host.stopwatch import Stopwatch
from installer.host.stream import Stream
from installer.log import StepLog, error_fields
from installer.paths import Paths
from installer.terminal import Terminal, drawn
from installer.version import VERSION
from states.errors import HostError, PharosError, Refused
from states.host import Host
from states.recovery import interrupted, recover


@attrs.frozen
class Session:
    """What a command works with; `transaction` is one UUID a run, `at` its start (UTC, ISO 8601)."""

    caller: Caller
    command: str
    transaction: str
    at: str
    host: Host
    log: StepLog
    patience: RealPatience

    @property
    def paths(self) -> Paths:
        """Return where everything lies."""
        return self.caller.paths

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Tell of something that takes a while: when it begins, and how it ended."""
        self.patience.heed()
        began = time.monotonic()
        self.log.event("task.started", doing=what)
        try:
            yield
        except Exception as error:
            seconds = round(time.monotonic() - began, 6)
            self.log.event("task.failed", "error", doing=what, duration_s=seconds, error=error_fields(error))
            raise
        self.log.event("task.succeeded", doing=what, duration_s=round(time.monotonic() - began, 6))


Work: TypeAlias = Callable[[Session], Ending]


@attrs.frozen
class Manner:
    """How a command is to behave: seconds to wait for the lock, JSON on a terminal, at boot, without recovery first.

    One that `remedies` does its work on a stranded host too: it may be what brings the host back.
    """

    wait: float = 0
    json: bool = False
    at_boot: bool = False
    recovers: bool = True
    remedies: bool = False


def run(caller: Caller, command: str, work: Work, manner: Manner = Manner()) -> int:  # frozen
    """Run `work` as the only changing command of this host, and return the exit code."""
    if not caller.sandboxed and not identity.is_root():
        Stream(2).write(f"pharos-hpc: cannot {command}: it needs root\n  hint: sudo pharos-hpc {command}")
        return exits.NEEDS_ROOT
    with undisturbed() as patience:
        watch = Stopwatch()
        terminal = None if manner.json else drawn(caller)
        session = _session(caller, command, (patience, watch), terminal, manner)
        began = time.monotonic()
        session.log.event("run.started", at_boot=manner.at_boot)
        end = _guarded(session, work, manner)
        _finish(session, end, time.monotonic() - began, watch.seconds)
        return end.exit_code


def dry(caller: Caller, command: str) -> Session:
    """Return a session for questions only: no lock, no log, nothing is changed."""
    patience = RealPatience()
    host = real_host(caller.paths, patience, Stopwatch())
    return Session(caller, command, "none", now(), host, StepLog({}, []), patience)


def _guarded(session: Session, work: Work, manner: Manner) -> Ending:
    holder = {
        "pid": identity.pid(),
        "command": session.command,
        "operator": session.caller.operator,
        "since": session.at,
    }
    try:
        with locked(session.paths, holder, manner.wait, session.patience):
            pin(session.paths)
            return _worked(session, work, manner)
    except Locked as error:
        return ending.refused(error, exits.LOCKED)
    except PharosError as error:
        return ending.refused(error)
    except Exception as error:  # noqa: BLE001  # a bug is told like everything else, and where the host stands
        return _bug(session, error)


def _worked(session: Session, work: Work, manner: Manner) -> Ending:
    """Settle, work; where the host was stranded and the work was its remedy, settle again."""
    stranded = _settle(session) if manner.recovers else None
    if stranded and not manner.remedies:
        return stranded
    end = work(session)
    return (_settle(session) or end) if stranded and end.exit_code == exits.DONE else end


def _settle(session: Session) -> Ending | None:
    """Walk back whoever was stopped in the middle, before anything else; None when the way is free."""
    if stranded := configure_finished(session):
        return stranded
    if not interrupted(session.host):
        return None
    message = "an earlier run was stopped in the middle; walking back first"
    session.log.event("interrupted.found", "warning", message=message)
    end = walked_back(session)
    return end if end.outcome == "stranded" else None


def configure_finished(session: Session) -> Ending | None:
    """Finish or forget a `configure` that was stopped in the middle; return the ending when that cannot be."""
    from installer.host.commit import finish

    try:
        told = finish(session.paths)
    except HostError as error:
        return Ending("stranded", exits.STRANDED, error.message, error.hint, error)
    if told:
        session.log.event("interrupted.found", "warning", message=f"configure was stopped in the middle: {told}")
    return None


def walked_back(session: Session) -> Ending:
    """Make the host what the record says; a recorded release that is not there any more leaves it stranded."""
    try:
        outcome = recover(session.host, session.log.observe)
    except Refused as error:
        return Ending("stranded", exits.STRANDED, error.message, error.hint, error)
    return ending.of(outcome) if outcome else ending.done("the host is what the record says")


def _bug(session: Session, error: Exception) -> Ending:
    import traceback

    session.log.event("bug", "error", error=error_fields(error), trace=traceback.format_exception(error))
    message = f"internal error: {type(error).__name__}: {error}"
    return Ending("stranded", exits.STRANDED, message, "run 'pharos-hpc status', and report this", error)


def _session(
    caller: Caller,
    command: str,
    time_of: tuple[RealPatience, Stopwatch],
    terminal: Terminal | None,
    manner: Manner,
) -> Session:
    patience, watch = time_of
    transaction = identity.new_transaction()
    at = now()
    base = {
        "command": command,
        "transaction": transaction,
        "operator": caller.operator,
        "host": identity.host_name(),
        "version": VERSION,
    }
    hear = terminal.hear if terminal else lambda _: None
    log = StepLog(base, _sinks(caller.paths, stream=terminal is None), hear)
    return Session(
        caller,
        command,
        transaction,
        at,
        real_host(caller.paths, patience, watch, at_boot=manner.at_boot),
        log,
        patience,
    )


def _sinks(paths: Paths, *, stream: bool) -> list[sinks.Sink]:
    journal = paths.journal_socket
    kept: sinks.Sink = sinks.Journal(journal) if journal.is_socket() else sinks.LogFile(paths.step_log)
    return [kept, Stream(1)] if stream else [kept]


def _finish(session: Session, end: Ending, seconds: float, downtime: float) -> None:
    for name in session.patience.deferred():
        message = f"{name} came where it could not be heeded"
        session.log.event("signal.deferred", "warning", signal=name, message=message)
    fields: dict[str, object] = {
        "outcome": end.outcome,
        "exit_code": end.exit_code,
        "duration_s": round(seconds, 3),
        "downtime_s": round(downtime, 3),
        "message": end.message,
        "hint": end.hint,
        "release": end.release,
        "previous": end.previous,
    }
    if end.details:
        fields["differences"] = list(end.details)
    if end.error is not None:
        fields["error"] = error_fields(end.error)
    session.log.event("run.finished", "info" if end.exit_code == 0 else "error", **fields)
    past = {"at": session.at, "command": session.command, "operator": session.caller.operator}
    history.append(session.paths, {**past, "transaction": session.transaction, **fields})
