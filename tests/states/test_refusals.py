"""What verification refuses, what stands in the way of a recovery, and what an undo that fails leaves to be said."""

import runpy
from collections.abc import Collection, Mapping
from typing import Any

import attrs
import pytest

from states import install_units, resume
from states.diagram import mermaid
from states.errors import HostError, Refused
from states.machine import Activation
from states.observed import differences, observe
from states.outcome import Recorded, Stuck
from states.plan import Record, WayBack
from states.recovery import recover
from states.unit import SSH_ACCESS, UnitState
from states.verify import Request, verify
from tests.memory_host import MemoryHost, host_of
from tests.scenarios import ALL, BOTH, SITE, Ask, empty


def active(release: str = "A") -> MemoryHost:
    real = empty()
    Ask(release).run(real)
    return real


def refused(real: MemoryHost, ask: Ask, *, no_way_back: bool = False) -> Refused:
    before = real.snapshot()
    request = Request(ask.release, ask.components, ask.units, ask.running, "then", "operator", "one", no_way_back)
    with pytest.raises(Refused) as caught:
        verify(request, host_of(real))
    assert real.snapshot() == before
    return caught.value


def test_a_component_that_the_release_lacks_is_refused() -> None:
    error = refused(empty(), Ask("D", BOTH, ALL))
    assert "component 'ssh-access' is not in the release, which has site-agent" in error.message


def test_a_component_that_nobody_knows_is_refused_and_nothing_of_it_is_inspected() -> None:
    class Strict(MemoryHost):
        def faults(self, releases: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, ...]]:
            assert all(set(components) <= set(BOTH) for components in releases.values())
            return super().faults(releases)

    real = Strict(releases=empty().releases)
    assert "component 'weather' is not in the release" in refused(real, Ask("A", ("weather",))).message


def test_a_masked_unit_is_refused_and_not_overridden() -> None:
    real = active()
    real.masked.add(SSH_ACCESS)
    assert f"unit '{SSH_ACCESS}' is masked by an administrator" in refused(real, Ask("B")).message


def test_a_drop_in_that_replaces_the_program_is_refused_but_not_where_all_is_stopped() -> None:
    real = active()
    real.replaced[SSH_ACCESS] = "/etc/systemd/system/x.conf"
    assert "'/etc/systemd/system/x.conf' replaces ExecStart" in refused(real, Ask("B")).message
    assert Ask("B", running=False).plan(real).incoming.id == "B"


def test_every_fault_is_told_and_the_first_in_the_sentence() -> None:
    real = empty()
    real.damaged["A"] = ("one is changed", "two is missing")
    error = refused(real, Ask("A"))
    assert error.message.endswith("one is changed (and 1 more)")
    assert error.facts["faults"] == ["one is changed", "two is missing"]


def test_a_way_back_that_is_damaged_is_none() -> None:
    real = active()
    real.damaged["A"] = ("'bin/agent' is changed",)
    assert "no way back: 'bin/agent' is changed" in refused(real, Ask("B")).message
    stopped = Ask("B", running=False).plan(real)
    assert stopped.incoming.id == "B", "whatever is wrong, it can be stopped"


def test_a_way_back_that_is_gone_is_none_unless_that_is_wanted() -> None:
    real = active()
    del real.releases["A"]
    assert "no way back" in refused(real, Ask("B")).message
    request = Request("B", BOTH, ALL, True, "then", "operator", "one", no_way_back=True)
    assert verify(request, host_of(real)).back.outgoing is None


def test_without_a_way_back_a_damaged_outgoing_release_is_not_looked_at() -> None:
    real = active()
    real.damaged["A"] = ("'bin/agent' is changed",)
    request = Request("B", BOTH, ALL, True, "then", "operator", "one", no_way_back=True)
    assert verify(request, host_of(real)).incoming.id == "B"


def test_a_record_whose_release_is_gone_cannot_be_recovered_and_says_what_helps() -> None:
    real = active()
    real.links["current"] = "B"
    del real.releases["A"]
    with pytest.raises(Refused, match="the record names release 'A'") as caught:
        recover(host_of(real), lambda _: None)
    assert caught.value.hint == "install that release again, then run recover"


def test_a_host_without_any_release_is_compared_with_its_record() -> None:
    real = active()
    del real.releases["A"]
    record = real.committed
    left = differences(record, observe(host_of(real), record))
    assert left[0] == "release 'A' of the record is not installed, or not complete"


def test_hashing_is_asked_for() -> None:
    real = active()
    real.damaged["A"] = ("'bin/agent' is changed",)
    record = real.committed
    assert differences(record, observe(host_of(real), record)) == ()
    assert differences(record, observe(host_of(real), record, hash_files=True)) == ("'bin/agent' is changed",)


def test_a_unit_file_that_systemd_does_not_load_is_a_failed_step() -> None:
    class Deaf(MemoryHost):
        def reload(self) -> None:
            """Hear nothing."""

    real = Deaf(releases=empty().releases)
    plan = Ask("A").plan(real)
    install_units.do(plan, host_of(real))
    real.loaded = dict.fromkeys(real.files, b"older")
    with pytest.raises(HostError, match="systemd still asks for a daemon-reload"):
        install_units.do(plan, host_of(real))


def test_an_outgoing_agent_that_does_not_come_back_is_named_with_its_last_words() -> None:
    real = active()
    back = Ask("B").plan(real).back
    real.sick.add("A")
    real.clock = 0
    real.stop(ALL)
    with pytest.raises(HostError, match=f"cannot bring '{SITE[0]}' back: it is failed") as caught:
        resume.do(back, host_of(real))
    assert caught.value.facts["tail"]
    assert real.clock == resume.TICK * resume.TICKS


def test_an_outgoing_agent_that_a_drop_in_starts_from_elsewhere_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = active()
    back = Ask("B").plan(real).back
    elsewhere = tuple(attrs.evolve(state, release=None) for state in real.states(SITE))
    monkeypatch.setattr(MemoryHost, "states", lambda *_: elsewhere)
    with pytest.raises(HostError, match="it is active, from no release of ours") as caught:
        resume.serve(back, host_of(real))
    assert caught.value.hint == f"systemctl cat {SITE[0]}"


def test_an_outgoing_agent_that_takes_a_while_is_waited_for() -> None:
    class Slow(MemoryHost):
        def pause(self, seconds: float) -> None:
            super().pause(seconds)
            self.sick.clear()
            self.restart(SITE)

    real = Slow(releases=empty().releases)
    Ask("A", ("site-agent",), SITE).run(real)
    back = Ask("B").plan(real).back
    real.sick.add("A")
    real.clock = 0
    real.stop(SITE)
    resume.do(back, host_of(real))
    assert real.clock == resume.TICK


def test_nothing_serves_again_while_the_link_names_another_release() -> None:
    real = active()
    back = Ask("B").plan(real).back
    real.links["current"] = "B"
    with pytest.raises(HostError, match="'current' does not name it"):
        resume.serve(back, host_of(real))
    resume.serve(WayBack(None, None), host_of(real))


def test_a_host_that_cannot_be_read_is_not_reported_as_settled() -> None:
    class Blind(MemoryHost):
        blind = False

        def states(self, units: object) -> tuple[UnitState, ...]:
            if self.blind:
                raise HostError("cannot ask systemd")
            return super().states(units)  # type: ignore[arg-type]

    real = Blind(releases=empty().releases)
    plan = Ask("A").plan(real)
    real.blind = True
    outcome = Activation(host_of(real), plan).run()
    assert isinstance(outcome, Stuck)
    assert any("cannot ask systemd" in str(failure) for failure in outcome.failures)


def test_the_package_prints_its_own_diagram(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("states", run_name="__main__")
    assert capsys.readouterr().out == mermaid() + "\n"


def test_a_walk_back_that_can_change_nothing_says_what_the_host_is() -> None:
    effects = {"point", "expose", "hide", "commit", "place", "remove", "reload", "enable", "disable", "stop"}

    class Frozen(MemoryHost):
        def __getattribute__(self, name: str) -> Any:
            if name in effects and object.__getattribute__(self, "committed"):
                raise HostError("cannot change anything")
            return super().__getattribute__(name)

        def commit(self, record: Record | None) -> None:
            super().commit(record)
            raise HostError("cannot fsync the record")

    real = Frozen(releases=empty().releases)
    outcome = Activation(host_of(real), Ask("A").plan(real)).run()
    assert isinstance(outcome, Recorded)
    assert outcome.record == real.committed
