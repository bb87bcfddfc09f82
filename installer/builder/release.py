"""One release archive: what is in it, and its manifest (spec of the release: manifest, wheels, requirements)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

from installer.builder import built_wheels, downloads, locks
from installer.builder.locks import Pin
from installer.builder.programs import EPOCH
from installer.builder.wheels import Wheel, read_wheel
from installer.manifest import RELEASE, REVISION, Component, Manifest
from installer.manifest import SETTLE as SETTLE_SECONDS
from installer.rules import Fault, Rule
from states.errors import Refused
from states.unit import RECOVER, SITE_AGENT, SSH_ACCESS

UNIT_OF: Final = {"site-agent": SITE_AGENT, "ssh-access": SSH_ACCESS}
PROOF_OF: Final = {"site-agent": "Processing offering"}
SETTLE: Final = {"site-agent": 30, "ssh-access": 10}  # seconds
PYTHON: Final = ">=3.13"
METALLO: Final = "pharos-ssh-access-agent"  # the program that the Metallo wheel must bring


@attrs.frozen(kw_only=True)
class Order:
    """What is to be built: the release's id, its dependency mode, the Metallo wheel, settle times in seconds.

    `epoch` (seconds since 1970) dates all that the archive holds.
    """

    release: str
    mode: str
    metallo: Path
    revision: str
    cache: Path
    epoch: int = EPOCH
    settle: Mapping[str, int] = attrs.field(factory=dict)


def check(order: Order) -> None:
    """Raise `Refused` if the manifest of such a release would not be read on a site; nothing is fetched."""
    _checked("--release", RELEASE, order.release)
    _checked("--revision", REVISION, order.revision)
    for name, seconds in order.settle.items():
        _checked(f"--settle {name}", SETTLE_SECONDS, str(seconds))


@attrs.frozen
class Contents:
    """The wheels of a release: those of each component, which of them the archive carries, and pip's."""

    parts: dict[str, tuple[Wheel, ...]]
    carried: dict[str, tuple[Wheel, ...]]
    pip: Wheel


def contents(order: Order) -> Contents:
    """Return the wheels of the release, all of them in the cache.

    Raises:
        PharosError: a wheel is not to be had as locked, or the Metallo wheel is none.

    """
    metallo = _metallo(order.metallo)
    built = built_wheels.names()
    parts = {
        "site-agent": _fetched(locks.read_lock("site-agent.lock"), order.cache),
        "ssh-access": (metallo, *_fetched(locks.read_lock("ssh-access.lock"), order.cache)),
    }
    ours = built | {metallo.pin.name}  # what no index has
    carried = {
        name: tuple(wheel for wheel in wheels if order.mode == "wheelhouse" or wheel.pin.name in ours)
        for name, wheels in parts.items()
    }
    (pip,) = _fetched(locks.read_lock("pip.lock"), order.cache)
    return Contents(parts, carried, pip)


def manifest(order: Order, what: Contents) -> Manifest:
    """Return the manifest of the release."""
    return Manifest(
        release=order.release,
        dependency_mode=order.mode,
        components=tuple(_component(order, name, wheels) for name, wheels in what.carried.items()),
        python_requires=PYTHON,
        source_revision=order.revision,
        pip_wheel=what.pip.archived,
        units=(RECOVER,),
    )


def requirements(wheels: tuple[Wheel, ...]) -> bytes:
    """Return a requirements file, every line exactly pinned with its hash."""
    return locks.render(wheel.pin for wheel in wheels)


def _checked(option: str, rule: Rule, text: str) -> None:
    try:
        rule.read(text)
    except Fault as fault:
        raise Refused(f"{option}: {fault.message}", hint=f"required: {rule.required}") from fault


def _component(order: Order, name: str, wheels: tuple[Wheel, ...]) -> Component:
    return Component(
        name=name,
        requirements=f"requirements/{name}.txt",
        wheels=tuple(sorted(wheel.archived for wheel in wheels)),
        units=(UNIT_OF[name],),
        settle_seconds=order.settle.get(name, SETTLE[name]),
        proof=PROOF_OF.get(name),
    )


def _fetched(pins: tuple[Pin, ...], cache: Path) -> tuple[Wheel, ...]:
    built = built_wheels.names()
    ours = [pin for pin in pins if pin.name in built]
    files = {
        **downloads.fetch([pin for pin in pins if pin.name not in built], cache),
        **(built_wheels.fetch(ours, cache) if ours else {}),
    }
    return tuple(read_wheel(files[pin]) for pin in pins)


def _metallo(path: Path) -> Wheel:
    wheel = read_wheel(path)
    if METALLO not in wheel.scripts:
        raise Refused(f"cannot use '{path}' as the Metallo wheel: it has no console script '{METALLO}'")
    return wheel
