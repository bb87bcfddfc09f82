"""The plug is pulled between two effects of a step: the shipped program runs under strace, which delays each effect."""

import subprocess
import time
from collections.abc import Callable

import pytest

from fixtures.lab.small_site import SmallSite
from tests.lab.interrupting import (
    FORWARD,
    NEXT,
    assert_recovered_before_agents,
    assert_settled,
    ended,
    prepared,
    until_event,
)

Qualified = Callable[[int, str, str], None]
DELAY = 0.4  # seconds before each effect
EFFECTS = "rename,renameat,renameat2,symlink,symlinkat,unlink,unlinkat,execve"
SLOW = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={EFFECTS}:delay_enter={int(DELAY * 1e6)}")
CUTS = [(point, number) for point in FORWARD for number in (1, 2, 3)]


@pytest.mark.parametrize(("point", "number"), CUTS, ids=[f"{step}-{number}" for (_, step), number in CUTS])
def test_a_power_cut_within_a_step_is_recovered_at_boot_before_any_agent(
    site: SmallSite, qualified: Qualified, point: tuple[str, str], number: int
) -> None:
    prepared(site, point)
    words = (site.program, "activate", "--json", "--foreground", "--release", NEXT)
    process = site.machine.start(*SLOW, *words, stderr=subprocess.DEVNULL)
    until_event(process, point)
    time.sleep((number + 0.5) * DELAY)  # that many effects have been, the next one has not
    site.machine.kill()
    ended(process)
    site.machine.boot()
    release = assert_settled(site, point)
    assert_recovered_before_agents(site, release)
    qualified(7, f"power cut in step {point[1]}, about {number} effects into it", f"'{release}' runs")
