"""At boot: whatever a power cut left, `recover` makes it what the record says before any agent of ours starts."""

import pytest

from states.machine import Activation
from states.observed import differences, observe
from states.outcome import PreviousRelease
from states.recovery import locate, recover
from tests.faults import Faulty, Killed, Kind, at
from tests.memory_host import MemoryHost, host_of
from tests.scenarios import SCENARIOS


def calls(name: str) -> int:
    scenario = SCENARIOS[name]
    faulty = Faulty(scenario.make())
    Activation(host_of(faulty), scenario.ask.plan(faulty.real)).run()
    return len(faulty.calls)


def cut(name: str, number: int) -> MemoryHost:
    scenario = SCENARIOS[name]
    real = scenario.make()
    with pytest.raises(Killed):
        Activation(host_of(Faulty(real, at(number, Kind.KILLED_AFTER))), scenario.ask.plan(real)).run()
    real.reboot()
    return real


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_power_cut_anywhere_and_a_boot_end_in_the_recorded_release(name: str) -> None:
    for number in range(calls(name)):
        real = cut(name, number)
        outcome = recover(host_of(real))
        assert outcome is None or isinstance(outcome, PreviousRelease)
        real.booted()
        assert differences(real.committed, observe(host_of(real), real.committed)) == ()


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_boot_cut_again_at_any_call_of_the_recovery_ends_there_too(name: str) -> None:
    for number in range(0, calls(name), 3):
        call = 0
        while True:
            real = cut(name, number)
            faulty = Faulty(real, at(call, Kind.KILLED_AFTER))
            try:
                recover(host_of(faulty))
            except Killed:
                real.reboot()
                recover(host_of(real))
            real.booted()
            assert differences(real.committed, observe(host_of(real), real.committed)) == ()
            if len(faulty.calls) <= call:
                break
            call += 1


def test_a_clean_boot_finds_nothing_to_do() -> None:
    real = SCENARIOS["upgrade"].make()
    real.reboot()
    assert locate(host_of(real), real.committed) is None
