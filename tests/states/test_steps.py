"""Each step by itself: what it does to the host, in which order."""

import attrs

from states.activation import STEPS
from states.errors import HostError
from states.events import Event, StepStarted, StepSucceeded
from states.host import Host
from states.machine import MACHINE, Activation
from states.observed import differences, observe
from states.outcome import PreviousRelease, Recorded, Stuck
from states.state import State
from states.unit import RECOVER, SITE_AGENT, SSH_ACCESS
from tests.faults import Faulty, Kind, from_then_on
from tests.memory_host import MemoryHost, host_of
from tests.scenarios import ALL, SCENARIOS, SITE

QUESTIONS = {"states", "on_disk", "exposed", "link", "heed", "wait", "journal", "queues", "leftovers", "offering",
             "site_api"}  # fmt: skip


def effects(name: str, step: str) -> tuple[list[str], MemoryHost]:
    """Return the effects of one step of a scenario, in order, and the host after it."""
    scenario = SCENARIOS[name]
    real = scenario.make()
    plan = scenario.ask.plan(real)
    for each in STEPS:
        faulty = Faulty(real)
        host: Host = host_of(faulty)
        each.do(plan, host)
        if each.name == step:
            return [call for call in faulty.calls if call not in QUESTIONS], real
    raise AssertionError(step)


def test_link_moves_previous_before_current_and_exposes_exactly_the_components() -> None:
    done, real = effects("component-dropped", "link")
    assert done == ["sweep", "point", "point", "expose", "hide"]
    assert real.links == {"previous": "A", "current": "D"}
    assert real.stable == {"site-agent"}


def test_a_unit_file_that_incoming_lacks_is_stopped_and_disabled_before_it_is_removed() -> None:
    done, real = effects("component-dropped", "install_units")
    assert done == ["stop", "disable", "remove", "place", "place", "reload"]
    assert set(real.files) == {RECOVER, SITE_AGENT}
    assert set(real.running) == {*SITE}
    assert real.enabled == {*SITE, RECOVER}


def test_the_boot_unit_is_enabled_before_any_agent() -> None:
    done, real = effects("first-activation", "start")
    assert done == ["enable", "reset_failed", "enable", "restart"]
    assert real.enabled == {*ALL, RECOVER}


def test_what_incoming_does_not_run_is_stopped_first() -> None:
    done, real = effects("modes-changed", "start")
    assert done == ["enable", "stop", "disable", "reset_failed", "enable", "restart"]
    assert set(real.running) == {"waldur-site-agent@report.service", SSH_ACCESS}


def test_a_probe_and_a_record_have_one_effect_between_them() -> None:
    assert effects("upgrade", "probe")[0] == []
    done, real = effects("upgrade", "record")
    assert done == ["commit"]
    assert real.committed is not None
    assert real.committed.release == "C"


def test_a_release_comes_back_by_enabling_what_does_not_run_and_lowering_the_flag_last() -> None:
    from states import resume

    scenario = SCENARIOS["upgrade"]
    real = scenario.make()
    plan = scenario.ask.plan(real)
    kept = real.running[SSH_ACCESS].invocation
    real.links["previous"] = "B"
    for unit in SITE:
        del real.running[unit]
        real.failed.add(unit)
    faulty = Faulty(real)
    resume.do(plan.back, host_of(faulty))
    assert [call for call in faulty.calls if call not in QUESTIONS] == [
        *["enable", "enable", "reset_failed", "restart"],
        *["sweep", "point"],
    ]
    assert real.running[SSH_ACCESS].invocation == kept, "what runs is left alone"
    assert not real.failed
    assert real.links["previous"] == "A"


def test_what_serves_before_and_after_is_restarted_in_one_job_and_never_stopped() -> None:
    assert effects("upgrade", "start")[0] == ["enable", "reset_failed", "enable", "restart"]


def undone(name: str) -> tuple[list[str], MemoryHost]:
    """Return the effects of undoing `start`, and the host after it."""
    _, real = effects(name, "start")
    scenario = SCENARIOS[name]
    faulty = Faulty(real)
    STEPS[2].undo(scenario.ask.plan(scenario.make()).back, host_of(faulty))
    return [call for call in faulty.calls if call not in QUESTIONS], real


def test_an_undone_start_leaves_what_ran_before_to_resume() -> None:
    assert undone("upgrade")[0] == []
    done, real = undone("component-added")
    assert done == ["stop", "disable"]
    assert set(real.running) == {*SITE}


def test_an_undone_first_start_leaves_nothing_running_or_enabled() -> None:
    _, real = undone("first-activation")
    assert not real.running
    assert not real.enabled


def test_an_agent_that_failed_and_is_not_enabled_is_left_alone() -> None:
    real = SCENARIOS["upgrade"].make()
    plan = SCENARIOS["upgrade"].ask.plan(real)
    for step in STEPS[:2]:
        step.do(plan, host_of(real))
    real.failed.add("waldur-site-agent@event_process.service")
    faulty = Faulty(real)
    STEPS[2].do(plan, host_of(faulty))
    assert "stop" not in faulty.calls


def test_the_offering_is_asked_for_the_site_agent_and_the_site_api_for_ssh_access() -> None:
    for name, asked in (
        ("upgrade", ["offering", "site_api"]),
        ("component-dropped", ["offering"]),
        ("components-exchanged", ["site_api"]),
    ):
        scenario = SCENARIOS[name]
        real = scenario.make()
        plan = scenario.ask.plan(real)
        for step in STEPS[:3]:
            step.do(plan, host_of(real))
        faulty = Faulty(real)
        STEPS[3].do(plan, host_of(faulty))
        assert [call for call in faulty.calls if call in {"offering", "site_api"}] == asked


def test_an_undo_that_keeps_failing_is_tried_three_times_and_told_with_its_cause() -> None:
    real = SCENARIOS["upgrade"].make()
    plan = SCENARIOS["upgrade"].ask.plan(real)
    number = effects_until("restart")
    real.clock = 0
    broken = from_then_on(number, Kind.FAILS_BEFORE)
    outcome = Activation(host_of(Faulty(real, broken)), plan).run()
    assert isinstance(outcome, Stuck)
    assert str(outcome.cause) == "cannot restart: injected before"
    assert len(outcome.failures) >= 4, "each undo, resume, and the look at the host"
    assert real.clock == (len(outcome.failures) - 1) * 2, "two pauses of a second for each"


def effects_until(name: str) -> int:
    """Return the number of the first call of that name in an upgrade."""
    faulty = Faulty(SCENARIOS["upgrade"].make())
    Activation(host_of(faulty), SCENARIOS["upgrade"].ask.plan(faulty.real)).run()
    return faulty.calls.index(name)


def test_an_observer_is_told_of_each_step_when_it_begins_and_how_it_ended() -> None:
    scenario = SCENARIOS["upgrade"]
    real = scenario.make()
    real.offline = "Waldur reads Paused"
    told: list[Event] = []
    Activation(host_of(real), scenario.ask.plan(real), told.append).run()
    names = [f"{type(event).__name__} {event.step}" for event in told]
    forward = ["link", "install_units", "start"]
    back = ["undo_probe", "undo_start", "undo_install_units", "undo_link", "resume"]
    assert names == [
        *(f"Step{how} {step}" for step in forward for how in ("Started", "Succeeded")),
        *["StepStarted probe", "StepFailed probe"],
        *(f"Step{how} {step}" for step in back for how in ("Started", "Succeeded")),
    ]
    assert {event.direction for event in told} == {"forward", "back"}


def test_a_run_that_has_ended_is_kept_by_nothing() -> None:
    scenario = SCENARIOS["upgrade"]
    for offline, ends in (("", Recorded), ("Waldur reads Paused", PreviousRelease)):
        real = scenario.make()
        real.offline = offline
        run = Activation(host_of(real), scenario.ask.plan(real))
        assert run in MACHINE.models
        assert isinstance(run.run(), ends)
        assert run not in MACHINE.models
    real = scenario.make()
    run = Activation(host_of(real), scenario.ask.plan(real).back, at=State.HEALTHY)
    assert isinstance(run.walk_back(Exception("stopped")), PreviousRelease)
    assert run not in MACHINE.models


def test_after_an_undo_that_cannot_be_done_each_other_is_tried_and_what_is_left_is_told() -> None:
    class Rigid(MemoryHost):
        def place(self, release: str, name: str) -> None:
            if self.offline:
                raise HostError("cannot place")
            super().place(release, name)

        def offering(self) -> None:
            self.offline = "Waldur reads Paused"
            super().offering()

    scenario = SCENARIOS["upgrade"]
    real = Rigid(**attrs.asdict(scenario.make(), recurse=False))
    told: list[Event] = []
    run = Activation(host_of(real), scenario.ask.plan(real), told.append)
    outcome = run.run()
    assert isinstance(outcome, Stuck)
    assert (outcome.record, str(outcome.cause)) == (real.committed, "Waldur reads Paused")
    assert [str(failure) for failure in outcome.failures] == ["cannot place"], "the others could be done"
    assert outcome.differences == differences(real.committed, observe(host_of(real), real.committed))
    assert f"unit file '{RECOVER}' is not the recorded release's" in outcome.differences
    assert real.links["current"] == "B", "the link came back all the same"
    assert {agent.release for agent in real.running.values()} == {"B"}, "and so did the agents"
    assert "'previous' names release 'B', the record release 'A'" in outcome.differences, "it is still in flight"
    assert run.state is State.STUCK
    assert told[-2:] == [
        StepStarted("give_up", "back", State.UNITS_INSTALLED, State.STUCK),
        StepSucceeded("give_up", "back", State.UNITS_INSTALLED, State.STUCK),
    ]
