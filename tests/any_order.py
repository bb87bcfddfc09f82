"""Commands, faults, kills, reboots, administrators' hands and a second operator in any order, against a model.

The commands are the program's own (`installer.commands`, under the real lock) on the host in memory. The model is one
function: what a host looks like of which a record is true. `python -m tests.any_order N` tries N sequences.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from installer import exits
from installer.commands import activate, recover, rollback, stop
from installer.ending import Ending, done
from installer.environment import Caller
from installer.host.patience import RealPatience
from installer.host.shelf import Shelved
from installer.log import StepLog
from installer.paths import Paths
from installer.releases import superfluous
from installer.session import Manner, Session, _guarded
from states.errors import HostError
from states.observed import differences, observe
from states.plan import Record, Release
from states.recovery import interrupted, locate
from states.unit import AGENTS, MODES, RECOVER, SSH_ACCESS, UNIT_FILES, instance
from states.verify import Request
from tests.faults import Faulty, Killed, Kind, at, from_then_on
from tests.memory_host import MemoryHost, Running, host_of
from tests.scenarios import empty

CATALOGUE = empty().releases
NAMES = st.sampled_from(sorted(CATALOGUE))
CALLS = st.integers(0, 90)
FAULTS = st.one_of(
    st.just(lambda _: None),
    st.builds(at, CALLS, st.sampled_from(Kind)),
    st.builds(from_then_on, CALLS, st.sampled_from([Kind.FAILS_BEFORE, Kind.FAILS_AFTER])),
)
CUTS = st.lists(st.integers(0, 40), max_size=3)  # calls of the recoveries at boot, each cut there
SELECTED = st.sets(st.sampled_from([*(instance(mode) for mode in MODES), SSH_ACCESS]), min_size=1)
Work = Callable[[Session], Ending]


class Living(MemoryHost):
    """A host on which a release can be removed by hand: what it needs of it fails then."""

    def place(self, release: str, name: str) -> None:
        if release not in self.releases:
            raise HostError(f"cannot install unit file '{name}': release '{release}' is gone")
        super().place(release, name)

    def restart(self, units: Any) -> None:
        gone = self.links.get("current") not in self.releases
        if gone and not self.booting:
            for unit in units:
                self.running.pop(unit, None)
                self.failed.add(unit)
        else:
            super().restart(units)


class Attended(Faulty):
    """A faulty host on which somebody else does something just before one of its calls."""

    def __init__(self, real: Any, faults: Any, moment: int, somebody: Callable[[], None]) -> None:
        super().__init__(real, faults)
        self.moment, self.somebody = moment, somebody

    def __getattr__(self, name: str) -> Any:
        if len(self.calls) == self.moment:
            self.moment = -1
            self.somebody()
        return super().__getattr__(name)


@attrs.define
class Expected:
    """What a command may leave: `moves` when its release is not the recorded one."""

    before: Record | None
    snapshot: dict[str, Any]
    clean: bool
    well: bool


class AnyOrder(RuleBasedStateMachine):
    """One host, and what is known of it: `clean` when it must be exactly what its record says."""

    def __init__(self) -> None:
        super().__init__()
        self.real = Living(releases=dict(CATALOGUE))
        self.directory = tempfile.mkdtemp(prefix="pharos-any-order-")
        self.caller = Caller(Paths(Path(self.directory)), "operator", "", no_color=True, columns=80)
        self.clean = True
        self.number = 0

    def teardown(self) -> None:
        """Whatever happened: once the world is whole again, `recover` makes the host what its record says."""
        self.real.releases = dict(CATALOGUE)
        self.real.masked.clear()
        self.real.sick.clear()
        self.real.damaged.clear()
        self.real.offline = ""
        end = self.run_command(recover.recovered, recovers=False)
        assert end is not None
        assert end.exit_code == exits.DONE, end
        assert self.real.snapshot() == self.expected(self.real.committed)
        shutil.rmtree(self.directory)

    # the model

    def expected(self, record: Record | None) -> dict[str, Any]:
        """What the host looks like when exactly `record` is true of it."""
        release = CATALOGUE[record.release] if record else Release("", (), {})
        serving = record.serving if record else ()
        links = {"current": record.release, "previous": record.previous} if record else {}
        return {
            **self.real.snapshot(),
            "links": {name: target for name, target in links.items() if target},
            "stable": {component.name for component in release.components},
            "committed": record,
            "temporary": set(),
            "files": dict(release.unit_files),
            "loaded": dict(release.unit_files),
            "enabled": {*serving, *release.boot_units},
            "running": dict.fromkeys(serving, release.id),
            "queued": set(),
        }

    def well(self) -> bool:
        """Whether the recorded release could be brought back."""
        record = self.real.committed
        return record is None or (record.release in self.real.releases and record.release not in self.real.sick)

    # one command

    def session(self, host: Any) -> Session:
        self.number += 1
        log = StepLog({}, [])
        return Session(self.caller, "a command", str(self.number), "then", host_of(host), log, RealPatience())

    def run_command(self, work: Work, host: Any = None, *, recovers: bool = True, **manner: Any) -> Ending | None:
        """Run it as the program does; None when it was killed."""
        try:
            return _guarded(self.session(host or self.real), work, Manner(recovers=recovers, **manner))
        except Killed:
            return None

    def perform(self, work: Work, host: Faulty, *, recovers: bool = True, **manner: Any) -> Ending | None:
        """Run a command and hold what it says, and what it left, against the model."""
        known = Expected(self.real.committed, self.real.snapshot(), self.clean, self.well())
        broken = any(host.breaks(call) for call in range(200))
        end = self.run_command(work, host, recovers=recovers, **manner)
        self.judge(known, end, broken=broken)
        return end

    def judge(self, known: Expected, end: Ending | None, *, broken: bool) -> None:
        record = self.real.committed
        own = record is not None and record.transaction == str(self.number)
        assert own or record == known.before, "somebody else's record"
        if own and record is not None and known.before is not None:
            same = record.release == known.before.release
            assert record.previous == (known.before.previous if same else known.before.release)
        matches = self.real.snapshot() == self.expected(record)
        if end is None:
            moved = not own and interrupted(host_of(self.real))
            assert moved or matches or not known.clean or self.same_release(known), "in flight, and the links deny it"
            self.clean = matches
            return
        assert "internal error" not in end.message, end
        assert own == (end.outcome == "recorded"), end
        if end.exit_code == exits.REFUSED:
            assert matches or self.real.snapshot() == known.snapshot or broken or not known.clean, end
            self.clean = known.clean or matches
        elif end.exit_code == exits.STRANDED:
            assert broken or not known.well, end
            self.clean = matches
        else:
            assert matches or end.outcome == "done", end
            self.clean = self.clean or matches

    def same_release(self, known: Expected) -> bool:
        """Whether a run that does not move the links can have been under way: stop, modes, the same release again."""
        return known.before is not None and self.real.links.get("current") == known.before.release

    # the commands

    @rule(name=NAMES, units=SELECTED, faults=FAULTS, no_way_back=st.booleans())
    def activates(self, name: str, units: set[str], faults: Any, no_way_back: bool) -> None:  # noqa: FBT001
        host = Faulty(self.real, faults)
        self.perform(lambda session: activate.perform(session, asked(session, name, units, no_way_back)), host,
                     remedies=no_way_back)  # fmt: skip

    @precondition(lambda self: self.well() and self.real.committed)
    @rule(units=SELECTED, faults=FAULTS)
    def changes_the_selection(self, units: set[str], faults: Any) -> None:
        self.activates(self.real.committed.release, units, faults, no_way_back=False)  # type: ignore[union-attr]

    @rule(name=st.none() | NAMES, faults=FAULTS)
    def rolls_back(self, name: str | None, faults: Any) -> None:
        words = Namespace(release=name, no_way_back=False)
        self.perform(lambda session: rollback.rollback(session, words), Faulty(self.real, faults))

    @rule(faults=FAULTS)
    def stops(self, faults: Any) -> None:
        self.perform(stop.stop, Faulty(self.real, faults))

    @rule(faults=FAULTS)
    def recovers(self, faults: Any) -> None:
        end = self.perform(recover.recovered, Faulty(self.real, faults), recovers=False)
        if end and end.exit_code == exits.DONE:
            assert self.real.snapshot() == self.expected(self.real.committed)
            self.clean = True

    @rule(keep=st.integers(0, 3), faults=FAULTS)
    def prunes(self, keep: int, faults: Any) -> None:
        self.perform(lambda _: self.pruned(keep), Faulty(self.real, faults))
        record = self.real.committed
        if record and self.well():
            assert self.real.links["current"] in self.real.releases

    @rule(name=NAMES)
    def installs(self, name: str) -> None:
        def work(_session: Session) -> Ending:
            self.real.releases[name] = CATALOGUE[name]
            return done("installed")

        self.perform(work, Faulty(self.real), remedies=True)
        assert name in self.real.releases, "install is the remedy for a release that is gone"

    def pruned(self, keep: int) -> Ending:
        shelf = [Shelved(name, complete=True, at=0) for name in sorted(self.real.releases)]
        record = self.real.committed
        used = {*self.real.links.values(), *((record.release, record.previous) if record else ())}
        for name in superfluous(shelf, keep, {each for each in used if each}):
            del self.real.releases[name]
        return done("pruned")

    # a second operator

    @rule(name=NAMES, units=SELECTED, moment=CALLS, faults=FAULTS)
    def is_met_by_a_second_operator(self, name: str, units: set[str], moment: int, faults: Any) -> None:
        def second() -> None:
            before = self.real.snapshot()
            number = self.number
            end = self.run_command(stop.stop)
            self.number = number
            assert end is not None
            assert end.exit_code == exits.LOCKED, end
            assert self.real.snapshot() == before
            observe(host_of(self.real), self.real.committed)  # what `status` does, without the lock

        host = Attended(self.real, faults, moment, second)
        self.perform(lambda session: activate.perform(session, asked(session, name, units)), host)

    @rule(name=NAMES, units=SELECTED, moment=CALLS, unit=st.sampled_from(AGENTS))
    def is_meddled_with(self, name: str, units: set[str], moment: int, unit: str) -> None:
        """An administrator stops an agent by hand in the middle of a run: told or not, it can be recovered."""
        host = Attended(self.real, lambda _: None, moment, lambda: self.real.stop([unit]))
        before = self.real.committed
        end = self.run_command(lambda session: activate.perform(session, asked(session, name, units)), host)
        assert end is not None
        record = self.real.committed
        assert record == before or (record and record.transaction == str(self.number))
        self.clean = self.clean and self.real.snapshot() == self.expected(record)

    # hands, and the world

    @rule(unit=st.sampled_from(AGENTS))
    def an_agent_is_stopped_by_hand(self, unit: str) -> None:
        self.drift(lambda: self.real.stop([unit]))

    @rule(unit=st.sampled_from(AGENTS))
    def an_agent_is_disabled_by_hand(self, unit: str) -> None:
        self.drift(lambda: self.real.disable([unit]))

    @rule(name=st.sampled_from(UNIT_FILES))
    def a_unit_file_is_edited(self, name: str) -> None:
        self.drift(lambda: self.real.files.update({name: b"edited"}) if name in self.real.files else None)

    @precondition(lambda self: self.real.links.get("current") in self.real.releases and self.real.committed)
    @rule(unit=st.sampled_from(AGENTS))
    def an_agent_is_started_by_hand(self, unit: str) -> None:
        self.drift(lambda: self.real.running.setdefault(unit, Running(self.real.links["current"], 0)))

    @rule(path=st.sampled_from(["/a/.current.pharos-tmp", "/a/.active-release.pharos-tmp"]))
    def a_temporary_file_is_left(self, path: str) -> None:
        self.drift(lambda: self.real.temporary.add(path))

    def drift(self, change: Callable[[], object]) -> None:
        change()
        self.clean = self.clean and self.real.snapshot() == self.expected(self.real.committed)

    @rule(name=NAMES)
    def a_release_is_removed_by_hand(self, name: str) -> None:
        self.real.releases.pop(name, None)

    @rule(name=NAMES, damaged=st.booleans())
    def a_release_is_damaged_or_mended(self, name: str, damaged: bool) -> None:  # noqa: FBT001
        self.real.damaged.update({name: ("a file is changed",)}) if damaged else self.real.damaged.pop(name, None)

    @rule(name=NAMES, sick=st.booleans())
    def a_release_is_sick_or_well(self, name: str, sick: bool) -> None:  # noqa: FBT001
        self.real.sick.add(name) if sick else self.real.sick.discard(name)

    @rule(words=st.sampled_from(["", "Waldur reads Paused"]))
    def the_world_answers_or_not(self, words: str) -> None:
        self.real.offline = words

    @rule(unit=st.sampled_from(AGENTS), masked=st.booleans())
    def a_unit_is_masked_or_not(self, unit: str, masked: bool) -> None:  # noqa: FBT001
        self.real.masked.add(unit) if masked else self.real.masked.discard(unit)

    # power

    @rule(cuts=CUTS)
    def loses_its_power(self, cuts: list[int]) -> None:
        """Boot, be cut in the recovery as often as `cuts` says, boot again: nothing unproven ever runs."""
        end: Ending | None = None
        for call in [*cuts, 10**6]:
            self.real.reboot()
            if RECOVER not in self.real.enabled:
                assert not self.real.enabled, "an agent would start at boot, and no recovery before it"
                break
            host = Faulty(self.real, at(call, Kind.KILLED_AFTER))
            end = self.perform(recover.recovered, host, recovers=False, at_boot=True)
            if end is not None:
                break
        self.real.booted()
        record = self.real.committed
        if end and end.exit_code == exits.DONE and record is not None:
            assert {process.release for process in self.real.running.values()} <= {record.release}
        self.clean = self.real.snapshot() == self.expected(record)
        assert self.clean or not self.well() or end is None, (record, self.real)

    # always

    @invariant()
    def is_settled_as_the_links_say(self) -> None:
        record = self.real.committed
        if not self.clean:
            return
        assert self.real.snapshot() == self.expected(record) or not self.well()
        if self.well():
            assert locate(host_of(self.real), record) is None
            assert differences(record, observe(host_of(self.real), record)) == ()

    @invariant()
    def finds_recover_before_any_agent_at_boot(self) -> None:
        if self.real.enabled & {*AGENTS}:
            assert RECOVER in self.real.enabled


def asked(session: Session, name: str, units: set[str], no_way_back: bool = False) -> Request:  # noqa: FBT001, FBT002
    """What an operator asks for who gives the components of these units."""
    agents = tuple(unit for unit in AGENTS if unit in units)
    components = ("site-agent",) * bool(units - {SSH_ACCESS}) + ("ssh-access",) * (SSH_ACCESS in units)
    return activate.asked(session, name, components, agents, no_way_back=no_way_back)


def try_sequences(number: int, *, steps: int = 25, the_same: bool) -> None:
    """Try that many sequences; `the_same` each time, or new ones."""
    run_state_machine_as_test(
        AnyOrder,
        settings=settings(
            max_examples=number,
            stateful_step_count=steps,
            derandomize=the_same,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


if __name__ == "__main__":
    try_sequences(int(sys.argv[1]), the_same=False)
    print(f"{sys.argv[1]} sequences of up to 25 steps, 0 violations")
