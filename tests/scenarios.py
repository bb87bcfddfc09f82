"""The activations that are tried with every fault: each makes a host, and says what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from states.machine import Activation
from states.outcome import Outcome, Recorded
from states.plan import Component, Plan, Release
from states.unit import MODES, RECOVER, SITE_AGENT, SSH_ACCESS, instance
from states.verify import Request, verify
from tests.memory_host import MemoryHost, host_of

AGENT: Final = Component("site-agent", settle=3, proof="Processing offering")
ACCESS: Final = Component("ssh-access", settle=1)
EVERY_UNIT: Final = (RECOVER, SITE_AGENT, SSH_ACCESS)


def release(name: str, components: tuple[Component, ...] = (AGENT, ACCESS)) -> Release:
    files = [RECOVER] + [SITE_AGENT] * (AGENT in components) + [SSH_ACCESS] * (ACCESS in components)
    return Release(name, components, {file: f"{file} of {name}".encode() for file in files})


RELEASES: Final[Mapping[str, Release]] = {name: release(name) for name in ("A", "B", "C")}
AGENT_ONLY: Final = release("D", (AGENT,))
ACCESS_ONLY: Final = release("E", (ACCESS,))
BOTH: Final = ("site-agent", "ssh-access")
ALL: Final = (*(instance(mode) for mode in MODES), SSH_ACCESS)
SITE: Final = ALL[:-1]


def empty() -> MemoryHost:
    return MemoryHost(releases={**RELEASES, "D": AGENT_ONLY, "E": ACCESS_ONLY})


@attrs.frozen
class Ask:
    """What an operator asks for."""

    release: str
    components: tuple[str, ...] = BOTH
    units: tuple[str, ...] = ALL
    running: bool = True

    def request(self) -> Request:
        return Request(self.release, self.components, self.units, self.running, "then", "operator", f"to {self}")

    def plan(self, real: MemoryHost) -> Plan:
        return verify(self.request(), host_of(real))

    def run(self, real: MemoryHost) -> Outcome:
        return Activation(host_of(real), self.plan(real)).run()


@attrs.frozen
class Scenario:
    """What was asked of the host before, and what is asked of it now."""

    past: tuple[Ask, ...]
    ask: Ask

    def make(self) -> MemoryHost:
        """Make a host on which all of the past was done."""
        real = empty()
        for ask in self.past:
            assert isinstance(ask.run(real), Recorded)
        return real


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "first-activation": Scenario((), Ask("A")),
    "second-activation": Scenario((Ask("A"),), Ask("B")),
    "upgrade": Scenario(
        (
            Ask("A"),
            Ask("B"),
        ),
        Ask("C"),
    ),
    "same-release-again": Scenario(
        (
            Ask("A"),
            Ask("B"),
        ),
        Ask("B"),
    ),
    "component-added": Scenario((Ask("A", ("site-agent",), SITE),), Ask("B")),
    "component-dropped": Scenario((Ask("A"),), Ask("D", ("site-agent",), SITE)),
    "components-exchanged": Scenario((Ask("D", ("site-agent",), SITE),), Ask("E", ("ssh-access",), (SSH_ACCESS,))),
    "modes-changed": Scenario(
        (
            Ask("A"),
            Ask("B"),
        ),
        Ask("B", units=(instance("report"), SSH_ACCESS)),
    ),
    "rollback-to-previous": Scenario(
        (
            Ask("A"),
            Ask("B"),
        ),
        Ask("A"),
    ),
    "rollback-to-a-named-release": Scenario(
        (
            Ask("A"),
            Ask("B"),
            Ask("C"),
        ),
        Ask("A"),
    ),
    "stop": Scenario(
        (
            Ask("A"),
            Ask("B"),
        ),
        Ask("B", running=False),
    ),
    "after-stop": Scenario(
        (
            Ask("A"),
            Ask("A", running=False),
        ),
        Ask("B"),
    ),
    "stop-the-only-release": Scenario((Ask("A"),), Ask("A", running=False)),
}
