"""Calls of systemctl(1), made again while PID 1 re-executes itself and hears nothing (systemctl daemon-reexec)."""

import time
from collections.abc import Callable
from typing import Final

from installer.host.process import Completed, ask, find, run
from installer.paths import Paths

SECONDS: Final = 90.0  # for one call; longer than the units' own start and stop limits
AWAY_SECONDS: Final = 15.0  # a re-execution takes one or two
AWAY: Final = (
    "Transport endpoint is not connected",
    "disconnected from message bus",
    "Connection reset by peer",
    "Connection refused",
    "Connection terminated",
)


def question(paths: Paths, *words: str) -> Completed:
    """Return what systemctl answers; it costs no import of subprocess."""
    return _heard(lambda: ask([find(paths, "systemctl"), "--no-ask-password", *words], seconds=SECONDS))


def order(paths: Paths, *words: str) -> Completed:
    """Have systemctl do something that may be asked for twice."""
    return _heard(lambda: run([find(paths, "systemctl"), "--no-ask-password", *words], seconds=SECONDS))


def _heard(call: Callable[[], Completed]) -> Completed:
    end = time.monotonic() + AWAY_SECONDS
    while (done := call()).status and _is_away(done) and time.monotonic() < end:
        time.sleep(0.1)
    return done


def _is_away(done: Completed) -> bool:
    return any(text in done.stderr for text in AWAY)
