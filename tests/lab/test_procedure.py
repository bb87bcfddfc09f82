"""The whole operator's procedure, by the archive alone, with the real agents."""

import time
from collections.abc import Callable
from pathlib import Path

from fixtures.lab.archives import FIRST, SECOND
from fixtures.lab.container import Container
from fixtures.lab.site import TOKENS, Administrator, Outside
from tests.lab.downtime import worst
from tests.lab.running import AGENTS, assert_runs

Qualified = Callable[[int, str, str], None]


def test_an_operator_installs_upgrades_goes_back_stops_and_reboots(
    plain: Container, outside: Outside, releases: dict[str, Path], qualified: Qualified
) -> None:
    operator = Administrator(plain, outside)
    operator.prepare()
    operator.unpack(FIRST, releases[FIRST])

    def timed(words: str, release: str = FIRST) -> None:
        began = time.monotonic()
        operator.pharos(release, *words.split())
        qualified(2, f"{words} ({release})", f"{time.monotonic() - began:.1f} s")

    timed(f"check --tokens {TOKENS}")
    timed("install")
    timed(f"configure {TOKENS}")
    timed("activate site-agent ssh-access")
    timed("status")
    assert_runs(operator, FIRST)
    operator.unpack(SECOND, releases[SECOND])
    timed("install", SECOND)
    timed("configure", SECOND)
    for words, release, what in (("activate", SECOND, "upgrade"), ("rollback", FIRST, "rollback")):
        since = time.time()
        timed(words, SECOND)
        assert_runs(operator, release)
        qualified(10, f"{what} of the real agents", worst(plain, AGENTS, since))
    plain.reboot()
    assert_runs(operator, FIRST)
    timed("stop")
    plain.reboot()
    operator.pharos(FIRST, "status", expect=3)
    timed("activate")
    plain.reboot()
    assert_runs(operator, FIRST)
    qualified(2, "status after reboot", "recorded release runs, consistent")
