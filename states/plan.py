"""What an activation is going to do: decided once, frozen, before the first effect."""

from collections.abc import Mapping

import attrs

from states.unit import RECOVER, SITE_AGENT, SSH_ACCESS, file_of


@attrs.frozen
class Component:
    """One agent of a release: `settle` is its window in seconds, `proof` the journal text it proves itself by."""

    name: str
    settle: float = 0
    proof: str = ""


@attrs.frozen
class Release:
    """One unpacked, immutable release, named by its id; `unit_files` maps each file's name to its bytes."""

    id: str
    components: tuple[Component, ...]
    unit_files: Mapping[str, bytes]

    @property
    def boot_units(self) -> tuple[str, ...]:
        """Units that are enabled but never started by us: they run `recover` at boot."""
        return tuple(name for name in (RECOVER,) if name in self.unit_files)


@attrs.frozen
class Record:
    """What was last committed (`active-release`): the truth that the two links shadow.

    `units` are the selected agents; `running` is false after `stop`, which keeps the selection.
    """

    release: str
    previous: str | None
    components: tuple[str, ...]
    units: tuple[str, ...]
    running: bool
    at: str
    by: str
    transaction: str

    @property
    def serving(self) -> tuple[str, ...]:
        """Return the agents that are meant to run now."""
        return self.units if self.running else ()


@attrs.frozen
class WayBack:
    """All that an undo may know: the outgoing release and the record, never the incoming one (law 3)."""

    outgoing: Release | None
    record: Record | None

    @property
    def serving(self) -> tuple[str, ...]:
        """Return the agents that ran before."""
        return self.record.serving if self.record else ()


@attrs.frozen
class Plan:
    """From the outgoing release to the incoming one; `next` is the record that will be committed."""

    incoming: Release
    next: Record
    back: WayBack

    @property
    def settle(self) -> float:
        """Return the settle window in seconds: the longest of the selected components."""
        return max((c.settle for c in self.incoming.components if c.name in self.next.components), default=0)

    def proof(self, unit: str) -> str:
        """Return the journal text that `unit` must have written since its start; empty when it need not."""
        return next((c.proof for c in self.incoming.components if unit in units_of(c.name, self.next)), "")


def units_of(component: str, record: Record) -> tuple[str, ...]:
    """Return the agents among the record's that belong to `component`."""
    file = {"site-agent": SITE_AGENT, "ssh-access": SSH_ACCESS}.get(component)
    return tuple(unit for unit in record.units if file_of(unit) == file)
