"""A command over an interrupted one: first the way back, then its own work, and every call of both broken."""

from __future__ import annotations

import pytest

from states.errors import PharosError
from states.machine import Activation
from states.observed import differences, observe
from states.outcome import PreviousRelease, Recorded, Stuck
from states.recovery import interrupted, recover
from tests.faults import Faulty, Killed, Kind, at
from tests.memory_host import MemoryHost, host_of
from tests.scenarios import SCENARIOS, Ask

UPGRADE = SCENARIOS["upgrade"]
OVER = Ask("A")


def cut(number: int) -> MemoryHost:
    """A host on which the upgrade was killed after its n-th call."""
    real = UPGRADE.make()
    with pytest.raises(Killed):
        Activation(host_of(Faulty(real, at(number, Kind.KILLED_AFTER))), UPGRADE.ask.plan(real)).run()
    return real


def command(real: MemoryHost, faulty: Faulty) -> object:
    """What a changing command does: walk back whoever was stopped, then its own work."""
    host = host_of(faulty)
    if interrupted(host):
        first = recover(host)
        if isinstance(first, Stuck):
            return first
    return Activation(host, OVER.plan(real)).run()


def calls(number: int) -> int:
    faulty = Faulty(cut(number))
    command(faulty.real, faulty)
    return len(faulty.calls)


def upgrade_calls() -> int:
    faulty = Faulty(UPGRADE.make())
    Activation(host_of(faulty), UPGRADE.ask.plan(faulty.real)).run()
    return len(faulty.calls)


@pytest.mark.parametrize("number", range(0, upgrade_calls(), 3))
def test_an_activation_over_an_interrupted_one_is_all_or_nothing(number: int) -> None:
    done = cut(number)
    recover(host_of(done))
    before = done.snapshot()
    OVER.run(done)
    after = done.snapshot()
    for call in range(calls(number)):
        for kind in Kind:
            real = cut(number)
            try:
                outcome = command(real, Faulty(real, at(call, kind)))
            except (Killed, PharosError):
                outcome = None
            if isinstance(outcome, Recorded):
                assert real.snapshot() == after
            elif isinstance(outcome, PreviousRelease):
                assert real.snapshot() == before
            recover(host_of(real))
            assert real.snapshot() in (before, after)
            assert differences(real.committed, observe(host_of(real), real.committed)) == ()
