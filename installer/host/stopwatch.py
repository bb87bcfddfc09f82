"""Measures the time in which no agent ran, where agents are stopped and started."""

import time
from collections.abc import Collection

import attrs

from installer.host.systemd import RealUnits
from states.unit import AGENTS


@attrs.define
class Stopwatch:
    """Seconds in which no agent ran, of a host where one ran before; an upper bound, as a restart counts whole."""

    seconds: float = 0
    running: set[str] | None = None
    since: float | None = None


@attrs.frozen
class TimedUnits(RealUnits):
    """systemd, with a stopwatch."""

    watch: Stopwatch = attrs.Factory(Stopwatch)

    def stop(self, units: Collection[str]) -> None:
        """Stop the units; with the last of them the watch begins to run."""
        before = self._running()
        super().stop(units)
        self.watch.running = before - set(units)
        if before and not self.watch.running:
            self.watch.since = time.monotonic()

    def restart(self, units: Collection[str]) -> None:
        """Restart the units; the watch runs while they are down, unless others serve."""
        running = self._running()
        if running and running <= set(units) and self.watch.since is None:
            self.watch.since = time.monotonic()
        try:
            super().restart(units)
        finally:
            self.watch.running = None
            if self._running() and self.watch.since is not None:
                self.watch.seconds += time.monotonic() - self.watch.since
                self.watch.since = None

    def _running(self) -> set[str]:
        if self.watch.running is None:
            self.watch.running = {state.name for state in self.states(AGENTS) if state.active == "active"}
        return set(self.watch.running)
