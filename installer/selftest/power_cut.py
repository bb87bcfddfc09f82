"""Activations whose power is cut before each of their calls, then recovered: always one release or the other."""

from collections.abc import Iterator
from typing import Final

import attrs

from installer import release_file
from installer.host import powercut
from installer.host.durable import pin
from installer.host.powercut import FLUSHES, Disk
from installer.paths import Paths
from installer.selftest.stand_in import host
from states.errors import HostError
from states.machine import Activation
from states.observed import differences, observe
from states.plan import Component
from states.recovery import recover
from states.unit import UNIT_FILES, instance
from states.verify import Request, verify

UNITS: Final = (instance("report"), "pharos-ssh-access-agent.service")
COMPONENTS: Final = ("site-agent", "ssh-access")
SCENARIOS: Final = {
    "first activation": ((), ("B", True)),
    "upgrade": ((("A", True),), ("B", True)),
    "rollback": ((("B", True), ("A", True)), ("B", True)),
    "stop": ((("B", True),), ("B", False)),
}
"""By name: what was activated before (release, running), and what is activated when the power fails."""


@attrs.frozen
class Result:
    """What one scenario came to on one kind of file system: points tried, and a sentence for each violation."""

    kind: str
    scenario: str
    points: int
    violations: tuple[str, ...]


def enumerate_cuts(disk: Disk) -> Iterator[Result]:
    """Try each scenario on this disk, cut before every call and after the end, with and without the log flushed."""
    for name in SCENARIOS:
        _keep(disk, name)
        tried, broken = 0, list[str]()
        for word, flush in FLUSHES.items():
            points, found = _scenario(disk, name, flush)
            tried += points
            broken += [f"{name}, {word}, {each}" for each in found]
        yield Result(disk.kind, name, tried, tuple(broken))


def _scenario(disk: Disk, name: str, flush: int) -> tuple[int, list[str]]:
    found, number, early = list[str](), 0, True
    while early:
        early, broken = _point(disk, name, flush, number)
        if broken:
            found.append(f"cut before call {number}: {broken}" if early else f"cut after the end: {broken}")
        number += 1
    return number, found


def _keep(disk: Disk, name: str) -> None:
    """Make and keep the file system that the scenario begins with."""
    paths = Paths(disk.mount)
    disk.format()
    _prepare(paths)
    for before in SCENARIOS[name][0]:
        if powercut.apart(lambda before=before: _activate(paths, *before)) != 0:  # type: ignore[misc]
            raise HostError("cannot prepare the file system under test")
    disk.keep()


def _point(disk: Disk, name: str, flush: int, number: int) -> tuple[bool, str]:
    """Return whether the cut came before the end, and what was broken afterwards (empty: nothing)."""
    paths = Paths(disk.mount)
    earlier, (release, running) = SCENARIOS[name]
    disk.bring_back()
    try:
        early, _ = powercut.cut_before(number, disk, flush, lambda: _activate(paths, release, running))
        disk.detach()
        disk.attach()
        one_of = {(release, running)} | ({earlier[-1] if earlier else None} if early else set())
        return early, _judged(paths, one_of)
    finally:
        disk.detach()


def _judged(paths: Paths, one_of: set[tuple[str, bool] | None]) -> str:
    if powercut.apart(lambda: _recover(paths)) != 0:
        return "recovery failed"
    record = host(paths).files.record()
    found = (record.release, record.running) if record else None
    return "" if found in one_of else f"the record says {found}, not one of {one_of}"


def _recover(paths: Paths) -> None:
    here = host(paths)
    pin(paths)
    recover(here)
    record = here.files.record()
    if left := differences(record, observe(here, record, hash_files=True)):
        raise HostError(f"cannot recover: {left[0]}")


def _activate(paths: Paths, release: str, running: bool) -> None:  # noqa: FBT001  # a row of SCENARIOS
    here = host(paths)
    pin(paths)
    recover(here)  # after a boot nothing runs yet
    asked = Request(release, COMPONENTS, UNITS, running, "now", "selftest", "selftest")
    outcome = Activation(here, verify(asked, here)).run()
    if type(outcome).__name__ != "Recorded":
        raise HostError(f"cannot activate: {outcome}")


def _prepare(paths: Paths) -> None:
    parts = tuple(Component(name) for name in COMPONENTS)
    for release in ("A", "B"):
        units = {f"units/{name}": f"# {name} of release {release}\n".encode() for name in UNIT_FILES}
        described = {release_file.NAME: release_file.render(release, parts)}
        powercut.lay_release(paths, release, units | described)
