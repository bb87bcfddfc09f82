"""The three laws of a step, each on every scenario."""

import contextlib

import attrs
import pytest

from states.activation import STEPS
from states.errors import HostError
from states.plan import WayBack
from states.step import Step
from tests.faults import Faulty, Kind, at
from tests.memory_host import host_of
from tests.scenarios import SCENARIOS

CASES = [pytest.param(name, step, id=f"{name}-{step.name}") for name in SCENARIOS for step in STEPS]


@pytest.mark.parametrize(("name", "step"), CASES)
def test_undo_twice_is_undo_once_from_whatever_do_left(name: str, step: Step) -> None:
    scenario = SCENARIOS[name]
    for number in range(40):
        for kind in (Kind.FAILS_BEFORE, Kind.FAILS_AFTER):
            real = scenario.make()
            plan = scenario.ask.plan(real)
            for before in STEPS[: STEPS.index(step)]:
                before.do(plan, host_of(real))
            with contextlib.suppress(HostError):  # any half of it is welcome
                step.do(plan, host_of(Faulty(real, at(number, kind))))
            step.undo(plan.back, host_of(real))
            once = real.snapshot()
            step.undo(plan.back, host_of(real))
            assert real.snapshot() == once


@pytest.mark.parametrize(("name", "step"), CASES)
def test_the_whole_way_back_leads_to_what_was_before(name: str, step: Step) -> None:
    from states.resume import do as resume

    scenario = SCENARIOS[name]
    real = scenario.make()
    before = real.snapshot()
    plan = scenario.ask.plan(real)
    done = STEPS[: STEPS.index(step) + 1]
    for each in done:
        each.do(plan, host_of(real))
    for each in reversed(done):
        each.undo(plan.back, host_of(real))
    resume(plan.back, host_of(real))
    assert real.snapshot() == before


def test_an_undo_cannot_know_the_incoming_release() -> None:
    for step in STEPS:
        (first, *_rest) = step.undo.__annotations__.values()
        assert first is WayBack
    assert {field.name for field in attrs.fields(WayBack)} == {"outgoing", "record"}
