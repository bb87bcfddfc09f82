"""Every call of every scenario broken in every way: the host is what it was before, or what it should be after."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from states.machine import Activation
from states.observed import differences, observe
from states.outcome import Outcome, PreviousRelease, Recorded, Stuck
from states.recovery import locate, recover
from tests.faults import Faulty, Killed, Kind, at, both, from_then_on
from tests.memory_host import MemoryHost, host_of
from tests.scenarios import SCENARIOS

FAILS = (Kind.FAILS_BEFORE, Kind.FAILS_AFTER)


def trace(name: str) -> list[str]:
    scenario = SCENARIOS[name]
    real = scenario.make()
    plan = scenario.ask.plan(real)
    faulty = Faulty(real)
    assert isinstance(Activation(host_of(faulty), plan).run(), Recorded)
    return faulty.calls


CASES = [
    pytest.param(name, number, kind, id=f"{name}-{number:02d}-{call}-{kind.value}")
    for name in SCENARIOS
    for number, call in enumerate(trace(name))
    for kind in Kind
]
CALLS = [
    pytest.param(name, number, id=f"{name}-{number:02d}-{call}")
    for name in SCENARIOS
    for number, call in enumerate(trace(name))
]


@cache
def begun(name: str) -> MemoryHost:
    """The scenario's host, to be copied."""
    return SCENARIOS[name].make()


@cache
def ends(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the host looks like before and after, when nothing breaks."""
    done = SCENARIOS[name].make()
    before = done.snapshot()
    SCENARIOS[name].ask.run(done)
    return before, done.snapshot()


class Run:
    """One scenario's host, and what it looks like before and after."""

    def __init__(self, name: str) -> None:
        self.scenario = SCENARIOS[name]
        self.real = copy.deepcopy(begun(name))
        self.before, self.after = ends(name)

    def start(self, faults: Any) -> tuple[Outcome | None, Faulty]:
        """Run it; None when it was killed."""
        plan = self.scenario.ask.plan(self.real)
        faulty = Faulty(self.real, faults)
        activation = Activation(host_of(faulty), plan)
        try:
            return activation.run(), faulty
        except Killed:
            return None, faulty

    def is_before_or_after(self) -> bool:
        return self.real.snapshot() in (self.before, self.after)


def settled(real: MemoryHost) -> bool:
    return locate(host_of(real), real.committed) is None


def left(real: MemoryHost) -> tuple[str, ...]:
    return differences(real.committed, observe(host_of(real), real.committed))


@pytest.mark.parametrize(("name", "number", "kind"), CASES)
def test_an_activation_is_all_or_nothing(name: str, number: int, kind: Kind) -> None:
    run = Run(name)
    outcome, _ = run.start(at(number, kind))
    if outcome is None:
        assert not settled(run.real) or run.is_before_or_after(), "killed in flight, yet it looks settled"
        recover(host_of(run.real))
    else:
        assert isinstance(outcome, PreviousRelease)
        assert run.real.snapshot() == run.before
    assert run.is_before_or_after()
    assert left(run.real) == ()


@pytest.mark.parametrize(("name", "number"), CALLS)
def test_a_fault_that_stays_leaves_it_stuck_honestly_and_recoverable(name: str, number: int) -> None:
    for kind in FAILS:
        run = Run(name)
        outcome, _ = run.start(from_then_on(number, kind))
        assert isinstance(outcome, Stuck)
        recover(host_of(run.real))
        assert run.is_before_or_after()
        assert left(run.real) == ()


def second_calls(name: str, number: int, first: Kind) -> Iterator[int]:
    """The calls after the first fault, up to the end of the walk back."""
    run = Run(name)
    _, faulty = run.start(at(number, first))
    yield from range(number + 1, len(faulty.calls))


@pytest.mark.parametrize(("name", "number"), CALLS)
def test_a_rollback_can_itself_be_broken_or_killed_anywhere(name: str, number: int) -> None:
    for second in second_calls(name, number, Kind.FAILS_AFTER):
        for kind in Kind:
            run = Run(name)
            outcome, _ = run.start(both((number, Kind.FAILS_AFTER), (second, kind)))
            if isinstance(outcome, PreviousRelease):
                assert run.real.snapshot() == run.before
            elif isinstance(outcome, Recorded):
                assert run.real.snapshot() == run.after
            recover(host_of(run.real))
            assert run.is_before_or_after()
            assert left(run.real) == ()


@pytest.mark.parametrize(("name", "number"), CALLS)
def test_a_recovery_can_itself_be_killed_anywhere(name: str, number: int) -> None:
    for first in (Kind.KILLED_BEFORE, Kind.KILLED_AFTER):
        call = 0
        while True:
            run = Run(name)
            run.start(at(number, first))
            faulty = Faulty(run.real, at(call, Kind.KILLED_AFTER))
            try:
                recover(host_of(faulty))
            except Killed:
                recover(host_of(run.real))
            assert run.is_before_or_after()
            assert left(run.real) == ()
            if len(faulty.calls) <= call:
                break
            call += 1


@pytest.mark.parametrize(("name", "number"), CALLS)
def test_an_undo_that_keeps_failing_does_not_keep_the_others_from_being_tried(name: str, number: int) -> None:
    run = Run(name)
    _, faulty = run.start(at(number, Kind.FAILS_AFTER))
    for second in range(number + 1, len(faulty.calls)):
        broken = faulty.calls[second]

        class Breaks(Faulty):
            """Every effect of one name fails from the first fault on."""

            def __getattr__(self, name: str, *, word: str = broken) -> Any:
                self.breaks = lambda call: (
                    Kind.FAILS_BEFORE if name == word and call > number else at(number, Kind.FAILS_AFTER)(call)
                )
                return super().__getattr__(name)

        again = Run(name)
        outcome = Activation(host_of(Breaks(again.real)), again.scenario.ask.plan(again.real)).run()
        assert isinstance(outcome, Stuck | PreviousRelease)
        if isinstance(outcome, PreviousRelease):
            assert left(again.real) == ()
        recover(host_of(again.real))
        assert again.is_before_or_after()
        assert left(again.real) == ()
