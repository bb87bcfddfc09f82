"""What health means: every way in which an agent or the outside world can fail to prove itself."""

from collections.abc import Callable, Collection

import attrs
import pytest

from states import probe
from states.errors import Unhealthy
from states.plan import Plan
from states.unit import SSH_ACCESS, UnitState
from tests.memory_host import MemoryHost, Running, host_of
from tests.scenarios import ACCESS_ONLY, ALL, SITE, Ask, empty

PROOF = '{"event": "Processing offering x", "level": "info"}'
UNIT = SITE[0]
EVERYTHING = Ask("A")


class Talking(MemoryHost):
    """A host whose agents write what a test has them write, and change while they are waited for."""

    lines: Callable[[], tuple[str, ...]] = staticmethod(lambda: (PROOF,))
    ticks: Callable[[MemoryHost], object] = staticmethod(lambda _: None)

    def journal(self, state: UnitState) -> tuple[str, ...]:
        return self.lines() if state.name == UNIT else (PROOF,)

    def wait(self, seconds: float) -> None:
        super().wait(seconds)
        self.ticks(self)


def started(ask: Ask = EVERYTHING) -> tuple[Talking, Plan]:
    """Return a host on which everything but the probe and the record is done."""
    real = Talking(releases=empty().releases)
    plan = ask.plan(real)
    from states.activation import STEPS

    for step in STEPS[:3]:
        step.do(plan, host_of(real))
    return real, plan


def refused(real: Talking, plan: Plan) -> Unhealthy:
    with pytest.raises(Unhealthy) as caught:
        probe.do(plan, host_of(real))
    return caught.value


def test_agents_that_stay_and_prove_themselves_are_healthy() -> None:
    real, plan = started()
    probe.do(plan, host_of(real))
    assert real.clock >= plan.settle


def test_an_agent_that_never_writes_its_proof_is_not_waited_for_for_ever() -> None:
    real, plan = started()
    real.lines = lambda: ("nothing of interest",)
    error = refused(real, plan)
    assert f"unit '{UNIT}' did not write 'Processing offering'" in error.message
    assert error.facts["tail"] == ["nothing of interest"]
    assert real.clock <= plan.settle + probe.PATIENCE


@pytest.mark.parametrize("level", ["error", "critical"])
def test_an_error_after_the_proof_is_not_healthy(level: str) -> None:
    real, plan = started()
    line = f'{{"event": "Unable to process the offering", "level": "{level}"}}'
    real.lines = lambda: (PROOF, line)
    assert f"reported an error after its start: {line}" in refused(real, plan).message


def test_an_error_that_comes_a_moment_after_the_proof_is_seen() -> None:
    real, plan = started()
    late = (PROOF, '{"event": "late", "level":"error"}')
    told = iter([(), (PROOF,)])
    real.lines = lambda: next(told, late)
    assert "late" in refused(real, plan).message


def test_an_error_before_the_proof_is_a_start_that_got_better() -> None:
    real, plan = started()
    real.lines = lambda: ('{"event": "not yet", "level": "error"}', PROOF)
    probe.do(plan, host_of(real))


def test_an_agent_that_ends_within_its_settle_window_is_not_healthy() -> None:
    real, plan = started()
    real.ticks = lambda host: host.running.pop(UNIT, None)
    assert f"unit '{UNIT}' is inactive" in refused(real, plan).message


def test_an_agent_that_was_restarted_within_its_settle_window_is_not_healthy() -> None:
    real, plan = started()
    real.ticks = lambda host: host.restart([UNIT])
    assert "was restarted within its settle window" in refused(real, plan).message


def test_an_agent_of_another_release_is_not_healthy() -> None:
    real, plan = started()
    real.running[UNIT] = Running("B", 1)
    assert "runs from release 'B', not from 'A'" in refused(real, plan).message


def test_without_an_agent_that_has_a_proof_nothing_is_waited_for_beyond_the_settle_window() -> None:
    real, plan = started(Ask(ACCESS_ONLY.id, ("ssh-access",), (SSH_ACCESS,)))
    probe.do(plan, host_of(real))
    assert real.clock == plan.settle


def test_what_is_not_meant_to_run_is_not_probed() -> None:
    real, plan = started(Ask("A", running=False))
    real.offline = "unreachable"
    probe.do(plan, host_of(real))
    assert real.clock == 0


def test_the_outside_world_is_asked_before_the_agents_are_waited_for() -> None:
    real, plan = started()
    real.offline = "Waldur reads Paused"
    assert refused(real, plan).message == "Waldur reads Paused"
    assert real.clock == 0
    assert set(real.running) == set(ALL)


def test_an_agent_without_a_proof_that_ends_within_its_settle_window_is_not_healthy() -> None:
    real, plan = started(Ask(ACCESS_ONLY.id, ("ssh-access",), (SSH_ACCESS,)))
    real.ticks = lambda host: host.running.pop(SSH_ACCESS, None)
    assert f"unit '{SSH_ACCESS}' is inactive" in refused(real, plan).message


def test_an_agent_that_dies_is_seen_at_the_next_look_and_not_at_the_end() -> None:
    real, plan = started()
    real.ticks = lambda host: host.running.pop(UNIT, None)
    refused(real, plan)
    assert real.clock == probe.TICK


def test_an_agent_that_dies_while_its_proof_is_waited_for_is_seen_at_once() -> None:
    real, plan = started()
    real.lines = lambda: ()
    real.ticks = lambda host: host.running.pop(UNIT, None) if host.clock > plan.settle else None
    assert f"unit '{UNIT}' is inactive" in refused(real, plan).message
    assert real.clock == plan.settle + probe.TICK


def test_the_last_words_of_an_agent_are_told_ten_lines_of_them() -> None:
    real, plan = started()
    real.lines = lambda: tuple(f"line {number}" for number in range(30))
    error = refused(real, plan)
    assert error.facts == {"unit": UNIT, "tail": [f"line {number}" for number in range(20, 30)]}
    assert error.hint == f"journalctl -u {UNIT} -n 50"
    assert real.clock == plan.settle + probe.PATIENCE


def test_an_agent_whose_restarts_are_counted_within_its_settle_window_is_not_healthy() -> None:
    """The same invocation, as it reads, and one more restart."""
    real, plan = started()
    seen = real.states

    def counted(units: Collection[str]) -> tuple[UnitState, ...]:
        return tuple(attrs.evolve(state, restarts=int(real.clock)) for state in seen(units))

    real.states = counted  # type: ignore[method-assign]
    assert "was restarted within its settle window" in refused(real, plan).message
