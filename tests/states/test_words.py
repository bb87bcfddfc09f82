"""The fixed names and orders of the spec, and the sentences by which a difference is told."""

import attrs
import pytest

from states import machine, probe, resume, unit
from states.activation import STEPS
from states.diagram import dot
from states.errors import PharosError, Refused
from states.observed import Observed, differences, moved, observe
from states.plan import Component, Plan, WayBack, units_of
from states.recovery import interrupted, locate
from states.state import State
from states.unit import UnitState
from states.verify import verify
from tests.memory_host import Running, host_of
from tests.scenarios import ALL, RELEASES, SITE, Ask, empty

STATES = "verified linked units-installed started healthy recorded previous-release stuck"


def test_states_steps_and_units_have_the_names_and_order_of_the_spec() -> None:
    assert " ".join(map(str, State)) == STATES
    assert [step.name for step in STEPS] == ["link", "install_units", "start", "probe", "record"]
    assert unit.UNIT_FILES == (
        "pharos-hpc-recover.service",
        "waldur-site-agent@.service",
        "pharos-ssh-access-agent.service",
    )
    modes = ("order_process", "membership_sync", "report")
    assert modes == unit.MODES
    agents = (*(f"waldur-site-agent@{mode}.service" for mode in (*modes, "event_process")), unit.SSH_ACCESS)
    assert agents == unit.AGENTS
    assert (unit.RECOVER, *agents) == unit.OURS


def test_a_unit_file_is_the_template_of_an_instance_and_else_the_unit_itself() -> None:
    assert unit.file_of("waldur-site-agent@report.service") == "waldur-site-agent@.service"
    assert unit.file_of("waldur-site-agent@.service") == "waldur-site-agent@.service"
    assert unit.file_of(unit.SSH_ACCESS) == unit.SSH_ACCESS


def test_a_unit_that_systemd_does_not_know_is_nothing() -> None:
    absent = UnitState("x.service")
    assert (absent.load, absent.active, absent.enabled, absent.stale) == ("not-found", "inactive", False, False)
    assert (absent.pid, absent.release, absent.restarts) == (0, None, 0)
    assert absent.invocation == absent.since == absent.replaced == ""
    assert absent.origin == "no release of ours"
    assert attrs.evolve(absent, release="A").origin == "release 'A'"
    assert attrs.evolve(absent, active="active", release="A").runs("A")
    assert not attrs.evolve(absent, active="activating", release="A").runs("A")
    assert not attrs.evolve(absent, active="active", release="B").runs("A")


def test_the_bounds_of_waiting() -> None:
    assert (probe.TICK, probe.PATIENCE) == (1.0, 120.0)
    assert (resume.TICK, resume.TICKS) == (0.5, 40)
    assert (machine.TRIES, machine.PAUSE) == (3, 1.0)


def test_each_component_has_its_own_units_proof_and_settle_window() -> None:
    real = empty()
    plan = Ask("A").plan(real)
    assert units_of("site-agent", plan.next) == SITE
    assert units_of("ssh-access", plan.next) == ALL[-1:]
    assert units_of("other", plan.next) == ()
    assert [bool(plan.proof(each)) for each in (*ALL, "other.service")] == [True, True, True, False, False]
    assert plan.settle == 3
    assert Ask("A", ("ssh-access",), ALL[-1:]).plan(real).settle == 1
    nothing = Plan(attrs.evolve(RELEASES["A"], components=()), plan.next, WayBack(None, None))
    assert nothing.settle == 0
    assert Component("x") == Component("x", 0, "")


def test_the_graph_in_graphviz_language() -> None:
    lines = dot().splitlines()
    assert lines[:2] == ["digraph activation {", "  rankdir=LR;"]
    assert lines[-1] == "}"
    assert '  "recorded" [shape=doublecircle];' in lines
    assert '  "verified" -> "linked" [label="link"];' in lines
    assert '  "verified" [shape=doublecircle];' not in lines


def test_which_link_moved_is_told_in_words() -> None:
    record = Ask("A").plan(empty()).next
    assert moved(record, "A", None) == ()
    assert moved(record, "B", "A") == (
        "'current' names release 'B', the record release 'A'",
        "'previous' names release 'A', the record nothing",
    )
    assert moved(None, None, None) == ()
    assert moved(None, "A", None) == ("'current' names release 'A', the record nothing",)


def left(change: str) -> tuple[str, ...]:
    """Return what is told of a host on which A runs, after this change of it."""
    real = empty()
    Ask("A", ("site-agent",), SITE).run(real)
    exec(change, {"real": real, "Running": Running, "SITE": SITE, "unit": unit})
    return differences(real.committed, observe(host_of(real), real.committed))


def test_every_difference_is_told_in_words() -> None:
    first = SITE[0]
    assert left("") == ()
    told = {
        "real.stable.remove('ssh-access')": "the stable link of 'ssh-access' is missing",
        "del real.files[unit.RECOVER]; real.loaded = dict(real.files)": f"unit file '{unit.RECOVER}' is missing",
        "real.files[unit.RECOVER] = b''; real.loaded = dict(real.files)": (
            f"unit file '{unit.RECOVER}' is not the recorded release's"
        ),
        "real.loaded[unit.RECOVER] = b''": f"systemd has not loaded the unit file of '{unit.RECOVER}' that is on disk",
        "real.enabled.remove(unit.RECOVER)": f"'{unit.RECOVER}' is not enabled",
        "real.enabled.remove(SITE[0])": f"'{first}' is not enabled",
        "real.running.pop(SITE[0])": f"'{first}' is inactive, running from no release of ours, not from release 'A'",
        "real.running[SITE[0]].release = 'B'": f"'{first}' is active, running from release 'B', not from release 'A'",
        "real.enabled.add(unit.SSH_ACCESS)": f"'{unit.SSH_ACCESS}' is inactive and enabled, but not of the record",
        "real.running[unit.SSH_ACCESS] = Running('A', 9)": f"'{unit.SSH_ACCESS}' is active, but not of the record",
        "real.temporary.add('/x')": "temporary file '/x' is left",
    }
    for change, sentence in told.items():
        if "loaded[" in change:
            assert sentence in left(change)
        else:
            assert (change, left(change)) == (change, (sentence,))


def test_a_host_without_a_record_has_nothing_of_ours() -> None:
    real = empty()
    real.stable.add("site-agent")
    real.files[unit.RECOVER] = b"x"
    real.loaded = dict(real.files)
    real.enabled.add(unit.RECOVER)
    assert differences(None, observe(host_of(real), None)) == (
        "the stable link of 'site-agent' is left over",
        f"unit file '{unit.RECOVER}' is left over",
        f"'{unit.RECOVER}' is enabled",
    )


def test_what_is_observed_is_of_a_host_that_has_booted_unless_it_is_said() -> None:
    defaults = attrs.fields_dict(Observed)
    assert (defaults["booting"].default, defaults["damage"].default) == (False, ())


def test_at_boot_only_an_agent_that_does_not_run_yet_is_no_difference() -> None:
    real = empty()
    Ask("A").run(real)
    real.reboot()
    assert differences(real.committed, observe(host_of(real), real.committed)) == ()
    real.running[SITE[0]] = Running("B", 7)
    assert len(differences(real.committed, observe(host_of(real), real.committed))) == 1
    real.running.clear()
    real.booting = False
    assert len(differences(real.committed, observe(host_of(real), real.committed))) == len(ALL)


def test_a_run_was_stopped_when_either_link_has_moved_and_not_when_something_else_differs() -> None:
    real = empty()
    for release in ("A", "B"):
        Ask(release).run(real)
    assert not interrupted(host_of(real))
    real.stop(ALL)
    assert not interrupted(host_of(real)), "drift"
    for name in ("current", "previous"):
        kept = real.links[name]
        real.links[name] = "C"
        assert interrupted(host_of(real))
        real.links[name] = kept


def test_recovery_begins_at_the_furthest_unless_previous_alone_has_moved() -> None:
    real = empty()
    for release in ("A", "B"):
        Ask(release).run(real)
    assert locate(host_of(real), real.committed) is None
    real.links["previous"] = "B"
    assert locate(host_of(real), real.committed) is State.VERIFIED
    real.enabled.remove(SITE[0])
    assert locate(host_of(real), real.committed) is State.HEALTHY
    real.links["previous"] = "A"
    assert locate(host_of(real), real.committed) is State.HEALTHY


def test_one_fault_is_the_whole_sentence_and_the_way_back_is_asked_for_unless_it_is_waived() -> None:
    real = empty()
    Ask("A").run(real)
    real.damaged["A"] = ("'x' is changed",)
    request = Ask("B").request()
    assert not request.no_way_back
    with pytest.raises(Refused) as caught:
        verify(request, host_of(real))
    assert caught.value.message == "cannot activate release 'B': no way back: 'x' is changed"
    assert caught.value.facts == {"faults": ["no way back: 'x' is changed"]}
    assert verify(attrs.evolve(request, no_way_back=True), host_of(real)).incoming.id == "B"


def test_a_way_back_that_is_gone_is_told_as_such() -> None:
    real = empty()
    Ask("A").run(real)
    del real.releases["A"]
    with pytest.raises(Refused) as caught:
        verify(Ask("B").request(), host_of(real))
    assert caught.value.message == "cannot activate: no way back: there is no installed release 'A'"


def test_an_agent_that_failed_and_is_not_of_the_record_is_no_difference() -> None:
    real = empty()
    Ask("A", ("site-agent",), SITE).run(real)
    real.failed.add(unit.SSH_ACCESS)
    assert differences(real.committed, observe(host_of(real), real.committed)) == ()


def test_an_error_reads_as_its_message_and_has_no_hint_or_facts_that_nobody_gave() -> None:
    error = PharosError(message="cannot read 'x'")
    assert (str(error), error.message, error.hint, error.facts) == ("cannot read 'x'", "cannot read 'x'", "", {})
