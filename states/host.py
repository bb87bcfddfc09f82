"""The host as the steps see it: every effect an activation can have, and every question it may ask.

Each method is one effect or one question, with an idempotent meaning. Adapters raise `HostError`, nothing else.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

import attrs

from states.plan import Record, Release
from states.unit import UnitState


class Files(Protocol):
    """Links, the record, and the releases below /opt/pharos-hpc."""

    def link(self, name: str) -> str | None:
        """Return the release id that `current` or `previous` names."""

    def point(self, name: str, release: str | None) -> None:
        """Make `current` or `previous` name `release` (by rename), or be absent."""

    def exposed(self) -> Collection[str]:
        """Return the components whose stable link stands."""

    def expose(self, component: str) -> None:
        """Make the stable link of `component` lead through `current`."""

    def hide(self, component: str) -> None:
        """Remove the stable link of `component`."""

    def record(self) -> Record | None:
        """Return what was last committed; None before the first activation."""

    def commit(self, record: Record | None) -> None:
        """Replace the record by rename, durably: the commit point."""

    def release(self, release: str) -> Release:
        """Return an installed release; `Refused` when there is none that is complete."""

    def damage(self, release: str) -> tuple[str, ...]:
        """Return one sentence for each file that is not what SHA256SUMS says, lacks, or is not listed."""

    def leftovers(self) -> tuple[str, ...]:
        """Return the temporary files of ours that a killed run left."""

    def sweep(self) -> None:
        """Remove the leftovers."""


class Units(Protocol):
    """systemd, and the unit directory."""

    def on_disk(self) -> Mapping[str, bytes]:
        """Return the bytes of each unit file of ours that stands in the unit directory."""

    def place(self, release: str, name: str) -> None:
        """Put the release's unit file into the unit directory (0644, by rename)."""

    def remove(self, name: str) -> None:
        """Remove a unit file of ours; nothing happens when there is none."""

    def reload(self) -> None:
        """Have systemd load what is on disk (daemon-reload)."""

    def states(self, units: Collection[str]) -> tuple[UnitState, ...]:
        """Return what systemd says of each unit, in the given order."""

    def enable(self, units: Collection[str]) -> None:
        """Have the units started at boot."""

    def disable(self, units: Collection[str]) -> None:
        """Have the units not started at boot."""

    def stop(self, units: Collection[str]) -> None:
        """Stop the units; returns when they have ended."""

    def reset_failed(self, units: Collection[str]) -> None:
        """Forget failures and start limits of the units."""

    def restart(self, units: Collection[str]) -> None:
        """Start the units afresh, together, in one job; returns when it is done."""

    def queues(self) -> bool:
        """Return whether a start is only queued: at boot, when the agents come after us."""

    def journal(self, state: UnitState) -> tuple[str, ...]:
        """Return what the unit has written since it was started (this invocation), oldest line first."""


class Inspection(Protocol):
    """Whether a release could serve: its files, its unit files, its interpreters as the service identities."""

    def faults(self, releases: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, ...]]:
        """Return one sentence for each fault of each release, given which components of it are to serve."""


class Web(Protocol):
    """The two questions to the outside world, each with deadline, pinned CA and no redirect (spec 06)."""

    def offering(self) -> None:
        """Return when the offering reads Active through the agent's own token and CA; else raise `Unhealthy`."""

    def site_api(self) -> None:
        """Return when the Site API itself answers over verified TLS; else raise `Unhealthy`."""


class Patience(Protocol):
    """Time, and the signals that may shorten it."""

    def heed(self) -> None:
        """Raise `Interrupted` if somebody asked us to stop."""

    def wait(self, seconds: float) -> None:
        """Wait; raise `Interrupted` as soon as somebody asks us to stop."""

    def pause(self, seconds: float) -> None:
        """Wait on the way back: nobody can shorten it, nobody is refused."""


class Reading(Protocol):
    """The two ports that `observe` needs."""

    @property
    def files(self) -> Files:
        """Return the files port."""

    @property
    def units(self) -> Units:
        """Return the units port."""


@attrs.frozen
class Host:
    """The ports together."""

    files: Files
    units: Units
    inspection: Inspection
    web: Web
    patience: Patience
