"""The real program in a sandbox: commands, kills at any effect and power cuts in any order, each judged by `status`."""

from __future__ import annotations

import signal
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from fixtures.site import Site
from installer import exits
from tests.e2e.test_activate import events, status
from tests.e2e.test_killed import killed_at

GOOD = ("A", "B", "C")
SICK = "S"
NAMES = st.sampled_from([*GOOD, SICK])


class RealAnyOrder(RuleBasedStateMachine):
    """One site for all sequences: each begins where the last one ended."""

    site: ClassVar[Site]
    commands: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.answer = status(self.site)

    def teardown(self) -> None:
        assert self.site.run("recover").returncode == exits.DONE
        assert status(self.site)["consistent"]

    def recorded(self) -> tuple[Any, Any, Any]:
        return self.answer["release"], self.answer["previous"], self.answer["running"]

    def done(self, *words: str) -> int:
        """Run a command; what its exit code says must be so."""
        type(self).commands += 1
        before = self.recorded()
        ended = self.site.run(*words)
        self.answer = status(self.site)
        last = events(ended.stdout)[-1]
        assert ended.returncode == last["exit_code"] in {exits.DONE, exits.REFUSED, exits.PREVIOUS}, ended.stdout
        if ended.returncode != exits.DONE:
            assert self.recorded() == before, ended.stdout
        assert self.answer["consistent"], (words, self.answer["differences"])
        return ended.returncode

    @rule(name=NAMES)
    def activates(self, name: str) -> None:
        present = self.site.paths.release(name).exists()
        wanted = exits.REFUSED if not present else exits.PREVIOUS if name == SICK else exits.DONE
        assert self.done("activate", "--release", name) == wanted
        if wanted == exits.DONE:
            assert (self.answer["release"], self.answer["running"]) == (name, True)

    @rule()
    def rolls_back(self) -> None:
        to = self.answer["previous"]
        code = self.done("rollback")
        assert (code == exits.DONE) == (to is not None)
        if code == exits.DONE:
            assert self.answer["release"] == to

    @rule()
    def stops(self) -> None:
        if self.done("stop") == exits.DONE:
            assert not self.answer["running"]

    @rule()
    def prunes_and_installs_again(self) -> None:
        assert self.done("prune", "--keep", "0") == exits.DONE
        for name in (*GOOD, SICK):
            if not self.site.paths.release(name).exists():
                assert name not in (self.answer["release"], self.answer["previous"])
                install(self.site, name)

    @rule(name=st.sampled_from(GOOD), number=st.integers(0, 45), recover=st.booleans())
    def is_killed(self, name: str, number: int, recover: bool) -> None:  # noqa: FBT001
        """Whoever comes next walks back first."""
        before = self.recorded()
        ended = killed_at(self.site, number, "activate", "--release", name)
        assert ended.returncode in {-signal.SIGKILL, exits.DONE}, ended.stdout
        assert self.done(*(("recover",) if recover else ("activate", "--release", "A"))) == exits.DONE
        if recover and ended.returncode != exits.DONE:
            assert self.recorded() in (before, (name, self.answer["previous"], True))

    @rule(name=st.sampled_from(GOOD), number=st.integers(0, 45))
    def loses_its_power(self, name: str, number: int) -> None:
        before = self.recorded()
        killed_at(self.site, number, "activate", "--release", name)
        self.site.sandbox.power_cut()
        self.site.sandbox.power_up()
        assert self.done("recover") == exits.DONE
        assert self.answer["release"] in {before[0], name}

    @invariant()
    def runs_only_what_is_recorded(self) -> None:
        running = {unit["release"] for unit in self.answer["units"] if unit["state"] == "active"}
        assert running == ({self.answer["release"]} if self.answer["running"] else set())


def install(site: Site, name: str) -> None:
    site.install(name, settle=0, behaviour="dies" if name == SICK else "good")


def test_any_order_of_real_commands_kills_and_power_cuts_ends_in_what_is_recorded(site: Site) -> None:
    for name in (*GOOD, SICK):
        install(site, name)
    RealAnyOrder.site = site
    how = settings(
        max_examples=3,
        stateful_step_count=10,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(RealAnyOrder, settings=how)
    print(f"{RealAnyOrder.commands} commands")
