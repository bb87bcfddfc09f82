"""A host of real files whose service manager is in memory: agents that always start, an outside world that agrees."""

from collections.abc import Collection, Mapping
from typing import Final

import attrs

from installer.host import powercut
from installer.host.files import RealFiles
from installer.host.systemd import RealUnits
from installer.paths import Paths
from states.host import Host
from states.unit import UnitState

ALIVE: Final = 1  # the pid that every agent of the stand-in has


@attrs.frozen
class Units(RealUnits):
    """The real unit directory, and a memory of what runs from which release."""

    running: dict[str, str] = attrs.field(factory=dict)

    def reload(self) -> None:
        """Nothing is loaded."""

    def states(self, units: Collection[str]) -> tuple[UnitState, ...]:
        """Return what is remembered."""
        return tuple(self._remembered(name, powercut.enabled_names(self.paths)) for name in units)

    def enable(self, units: Collection[str]) -> None:
        """Enable by links, as systemd does."""
        powercut.enable_names(self.paths, tuple(units), wanted=True)

    def disable(self, units: Collection[str]) -> None:
        """Disable by links, as systemd does."""
        powercut.enable_names(self.paths, tuple(units), wanted=False)

    def stop(self, units: Collection[str]) -> None:
        """Forget them."""
        for name in units:
            self.running.pop(name, None)

    def reset_failed(self, units: Collection[str]) -> None:
        """Nothing ever fails."""

    def restart(self, units: Collection[str]) -> None:
        """Run them from the release that `current` names."""
        release = RealFiles(self.paths).link("current") or ""
        self.running.update(dict.fromkeys(units, release))

    def journal(self, state: UnitState) -> tuple[str, ...]:
        """Agents of the stand-in say nothing."""
        return (state.name,)

    def _remembered(self, name: str, enabled: Collection[str]) -> UnitState:
        release = self.running.get(name)
        if release is None:
            return UnitState(name, "loaded", enabled=name in enabled)
        return UnitState(name, "loaded", "active", name in enabled, pid=ALIVE, release=release, invocation=release)


class Agreeing:
    """An inspection, an outside world and a patience that object to nothing."""

    def faults(self, releases: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, ...]]:
        """Find nothing."""
        return dict.fromkeys(releases, ())

    def offering(self) -> None:
        """The offering is Active."""

    def site_api(self) -> None:
        """The Site API answers."""

    def heed(self) -> None:
        """Nobody asks to stop."""

    def wait(self, seconds: float) -> None:
        """No time passes."""

    def pause(self, seconds: float) -> None:
        """No time passes."""


def host(paths: Paths) -> Host:
    """Return a host below `paths` on which nothing runs, as after a boot."""
    agreeing = Agreeing()
    return Host(RealFiles(paths), Units(paths), agreeing, agreeing, agreeing)
