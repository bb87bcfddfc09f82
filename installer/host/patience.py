"""The patience port: SIGINT and SIGTERM are blocked for the run and asked for at safe points (sigtimedwait(2))."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from states.errors import Interrupted

ASKED: Final = frozenset({signal.SIGINT, signal.SIGTERM})


class RealPatience:
    """Time, and the signals that may shorten it; `deferred` are those that came where they could not be heeded."""

    def heed(self) -> None:
        """Raise `Interrupted` if one of the signals is pending."""
        self.wait(0)

    def wait(self, seconds: float) -> None:
        """Wait; a signal ends it at once."""
        found = signal.sigtimedwait(ASKED, seconds)
        if found is not None:
            raise Interrupted(f"asked to stop by {signal.Signals(found.si_signo).name}")

    def pause(self, seconds: float) -> None:
        """Wait on the way back, whatever is pending."""
        time.sleep(seconds)

    def deferred(self) -> tuple[str, ...]:
        """Take the pending signals, by name: noted only, as the way back cannot be interrupted."""
        names: list[str] = []
        while found := signal.sigtimedwait(ASKED, 0):
            names.append(signal.Signals(found.si_signo).name)
        return tuple(names)


@contextmanager
def undisturbed() -> Iterator[RealPatience]:
    """Block SIGINT and SIGTERM, ignore SIGHUP (a dropped connection is no reason to stop), for the run."""
    hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKED)
    patience = RealPatience()
    try:
        yield patience
    finally:
        patience.deferred()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGHUP, hangup)
