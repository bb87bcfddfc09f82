"""Somebody asks to stop, before any call of any scenario: forward the machine goes back, on the way back it goes on."""

import pytest

from states.errors import Interrupted
from states.machine import Activation
from states.observed import differences, observe
from states.outcome import PreviousRelease, Recorded
from states.recovery import recover
from tests.any_order import Attended
from tests.faults import Kind, at
from tests.memory_host import host_of
from tests.scenarios import SCENARIOS


def asked_to_stop(name: str, moment: int, fault: int | None = None) -> tuple[object, Attended, bool]:
    """Return how it ended, and whether the host is what it was before."""
    scenario = SCENARIOS[name]
    real = scenario.make()
    before = real.snapshot()

    def ask() -> None:
        real.asked_to_stop = True

    broken = at(fault, Kind.FAILS_AFTER) if fault is not None else lambda _: None
    host = Attended(real, broken, moment, ask)
    outcome = Activation(host_of(host), scenario.ask.plan(real)).run()
    assert differences(real.committed, observe(host_of(real), real.committed)) == ()
    return outcome, host, real.snapshot() == before


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_signal_before_any_call_ends_in_one_release_or_the_other(name: str) -> None:
    moment, ends = 0, []
    while True:
        outcome, host, same = asked_to_stop(name, moment)
        assert isinstance(outcome, Recorded) or same
        if host.moment != -1:
            break  # the run was over before
        if isinstance(outcome, PreviousRelease):
            assert isinstance(outcome.cause, Interrupted)
        ends.append(type(outcome))
        moment += 1
    later = ends.index(Recorded)
    assert later == moment - 1, "only what comes after the last safe point is too late"
    assert set(ends[:later]) == {PreviousRelease}


def test_a_signal_before_the_first_step_has_nothing_done() -> None:
    _, host, same = asked_to_stop("upgrade", 0)
    assert same
    assert host.calls[0] == "heed"
    assert not {"commit", "place", "stop", "restart"} & set(host.calls)


def test_a_walk_back_cannot_be_interrupted() -> None:
    for moment in range(12, 60, 3):
        outcome, _, same = asked_to_stop("upgrade", moment, fault=10)
        assert isinstance(outcome, PreviousRelease)
        assert same


def test_a_recovery_cannot_be_interrupted() -> None:
    real = SCENARIOS["upgrade"].make()
    before = real.snapshot()
    real.links.update(previous="B", current="C")
    real.asked_to_stop = True
    assert isinstance(recover(host_of(real)), PreviousRelease)
    real.asked_to_stop = False
    assert real.snapshot() == before
