"""A host that is a handful of dicts: the ports of states.host, with what systemd and a file system mean by them."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any

import attrs

from states.errors import HostError, Interrupted, Refused, Unhealthy
from states.host import Host
from states.plan import Record, Release
from states.unit import AGENTS, UnitState, file_of


@attrs.define
class Running:
    """A process: which release it was started from, and its invocation."""

    release: str
    invocation: int


@attrs.define
class MemoryHost:
    """All that the steps can see or change. `sick` releases' agents end at once; `clock` counts seconds waited."""

    releases: dict[str, Release] = attrs.Factory(dict)
    links: dict[str, str] = attrs.Factory(dict)
    stable: set[str] = attrs.Factory(set)
    committed: Record | None = None
    temporary: set[str] = attrs.Factory(set)
    files: dict[str, bytes] = attrs.Factory(dict)
    loaded: dict[str, bytes] = attrs.Factory(dict)
    enabled: set[str] = attrs.Factory(set)
    running: dict[str, Running] = attrs.Factory(dict)
    failed: set[str] = attrs.Factory(set)
    masked: set[str] = attrs.Factory(set)
    replaced: dict[str, str] = attrs.Factory(dict)
    sick: set[str] = attrs.Factory(set)
    damaged: dict[str, tuple[str, ...]] = attrs.Factory(dict)
    offline: str = ""
    asked_to_stop: bool = False
    clock: float = 0
    invocations: int = 0
    booting: bool = False
    queued: set[str] = attrs.Factory(set)

    def snapshot(self) -> dict[str, Any]:
        """What an operator would call the state of the host: no clock, no invocation numbers."""
        state = copy.deepcopy(attrs.asdict(self, recurse=False))
        state["running"] = {unit: process.release for unit, process in self.running.items()}
        for name in ("clock", "invocations", "asked_to_stop", "releases", "failed", "booting"):
            del state[name]
        return state

    # files

    def link(self, name: str) -> str | None:
        return self.links.get(name)

    def point(self, name: str, release: str | None) -> None:
        if release is None:
            self.links.pop(name, None)
        else:
            self.links[name] = release

    def exposed(self) -> Collection[str]:
        return frozenset(self.stable)

    def expose(self, component: str) -> None:
        self.stable.add(component)

    def hide(self, component: str) -> None:
        self.stable.discard(component)

    def record(self) -> Record | None:
        return self.committed

    def commit(self, record: Record | None) -> None:
        self.committed = record

    def release(self, release: str) -> Release:
        if release not in self.releases:
            raise Refused(f"there is no installed release '{release}'")
        return self.releases[release]

    def damage(self, release: str) -> tuple[str, ...]:
        return self.damaged.get(release, ())

    def leftovers(self) -> tuple[str, ...]:
        return tuple(sorted(self.temporary))

    def sweep(self) -> None:
        self.temporary.clear()

    # units

    def on_disk(self) -> Mapping[str, bytes]:
        return dict(self.files)

    def place(self, release: str, name: str) -> None:
        self.files[name] = self.releases[release].unit_files[name]

    def remove(self, name: str) -> None:
        self.files.pop(name, None)

    def reload(self) -> None:
        self.loaded = dict(self.files)

    def states(self, units: Collection[str]) -> tuple[UnitState, ...]:
        return tuple(self._state(unit) for unit in units)

    def enable(self, units: Collection[str]) -> None:
        for unit in units:
            if file_of(unit) not in self.files:
                raise HostError(f"cannot enable '{unit}': there is no such unit")
            self.enabled.add(unit)

    def queues(self) -> bool:
        return self.booting

    def reboot(self) -> None:
        """Everything has ended; what is on disk is what systemd knows; nothing is started yet."""
        self.running.clear()
        self.failed.clear()
        self.loaded = dict(self.files)
        self.booting = True

    def booted(self) -> None:
        """What is enabled or queued is started."""
        self.booting = False
        self.restart([unit for unit in AGENTS if unit in self.enabled | self.queued])
        self.queued.clear()

    def disable(self, units: Collection[str]) -> None:
        self.enabled.difference_update(units)

    def stop(self, units: Collection[str]) -> None:
        for unit in units:
            self.running.pop(unit, None)

    def reset_failed(self, units: Collection[str]) -> None:
        self.failed.difference_update(units)

    def restart(self, units: Collection[str]) -> None:
        for unit in units:
            if file_of(unit) not in self.loaded:
                raise HostError(f"cannot start '{unit}': there is no such unit")
        if self.booting:
            self.queued.update(units)
            return
        for unit in units:
            self.invocations += 1
            self.running[unit] = Running(self.links["current"], self.invocations)
            if self.links["current"] in self.sick:
                del self.running[unit]
                self.failed.add(unit)

    def journal(self, state: UnitState) -> tuple[str, ...]:
        return (f'{{"event": "Processing offering x", "level": "info", "unit": "{state.name}"}}',)

    def faults(self, releases: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, ...]]:
        assert all(release in self.releases and components for release, components in releases.items())
        return {release: self.damage(release) for release in releases}

    # the outside world, and time

    def offering(self) -> None:
        if self.offline:
            raise Unhealthy(self.offline)

    def site_api(self) -> None:
        if self.offline:
            raise Unhealthy(self.offline)

    def heed(self) -> None:
        if self.asked_to_stop:
            raise Interrupted("asked to stop by SIGTERM")

    def wait(self, seconds: float) -> None:
        self.heed()
        self.clock += seconds

    def pause(self, seconds: float) -> None:
        self.clock += seconds

    def _state(self, unit: str) -> UnitState:
        file = file_of(unit)
        process = self.running.get(unit)
        return UnitState(
            name=unit,
            load="masked" if unit in self.masked else "loaded" if file in self.loaded else "not-found",
            active="active" if process else "failed" if unit in self.failed else "inactive",
            enabled=unit in self.enabled,
            stale=file in self.loaded and self.files.get(file) != self.loaded[file],
            pid=process.invocation if process else 0,
            release=process.release if process else None,
            invocation=str(process.invocation) if process else "",
            replaced=self.replaced.get(unit, ""),
        )


def host_of(real: Any) -> Host:
    """The ports, all of them answered by one object."""
    return Host(files=real, units=real, inspection=real, web=real, patience=real)
