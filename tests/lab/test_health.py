"""Health truly gates: whatever is wrong with a new release, the previous one runs again, by systemd and by /proc."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.central.controls import SITE_API
from fixtures.lab.small_site import GOOD, SmallSite
from tests.lab.downtime import worst
from tests.lab.running import AGENTS, assert_runs

Qualified = Callable[[int, str, str], None]
PREVIOUS = 3
OTHER = "/opt/pharos-hpc/releases/good/site-agent/bin"
ELSEWHERE = (
    f"import os; os.execv('{OTHER}/python', ['{OTHER}/python', '-I', '{OTHER}/waldur_site_agent', *sys.argv[1:]])"
)
IGNORING = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
FAILING = "say('error', 'Unable to process the offering due to the error: injected')"
WRONG: dict[str, tuple[float, str, str]] = {
    "dies at once": (2, "sys.exit(1)", ""),
    "dies after five seconds": (8, "", "time.sleep(5); sys.exit(3)"),
    "ignores SIGTERM, and fails": (2, IGNORING, FAILING),
    "runs from another release": (2, ELSEWHERE, ""),
    "reports an error after its proof": (2, "", FAILING),
    "hangs in start": (2, "time.sleep(3600)", ""),
}
DROP_IN = "/etc/systemd/system/waldur-site-agent@.service.d/site.conf"


def back(site: SmallSite, release: str, qualified: Qualified, what: str) -> None:
    """Activate the release, which must end with GOOD running again, and put the downtime into the table."""
    since = time.time()
    site.activate(release, expect=PREVIOUS)
    assert_runs(site, GOOD)
    assert site.history()[-1]["release"] == GOOD or site.history()[-1]["outcome"] != "recorded"
    qualified(6, f"an agent or its world: {what}", "previous release runs")
    qualified(10, f"failed activation and walk back: {what}", worst(site.machine, AGENTS, since))


@pytest.mark.parametrize("what", WRONG)
def test_an_agent_that_is_not_well_brings_the_previous_release_back(
    site: SmallSite, qualified: Qualified, what: str
) -> None:
    settle, before, after = WRONG[what]
    site.install_small("bad", "wrong", settle, before, after)
    back(site, "bad", qualified, what)


def test_an_offering_that_the_provider_paused_brings_the_previous_release_back(
    site: SmallSite, qualified: Qualified
) -> None:
    site.install_small("next")
    site.outside.central.set_offering_state("Paused")
    back(site, "next", qualified, "Waldur's offering reads Paused")


@pytest.mark.parametrize("certificate", ["foreign-ca", "expired", "wrong-host"])
def test_a_site_api_that_cannot_be_trusted_brings_the_previous_release_back(
    site: SmallSite, qualified: Qualified, certificate: str
) -> None:
    site.install_small("next")
    site.outside.central.present(SITE_API, certificate)
    back(site, "next", qualified, f"Site API with a certificate: {certificate}")


def test_a_drop_in_that_breaks_the_new_release_brings_the_previous_one_back(
    site: SmallSite, qualified: Qualified
) -> None:
    site.install_small("next")
    path = site.machine.path(DROP_IN)
    path.parent.mkdir()
    condition = "/bin/sh -c '! readlink /opt/pharos-hpc/current | grep -q next'"
    path.write_text(f"[Service]\nExecStartPre={condition}\n")
    back(site, "next", qualified, "an administrator's drop-in")
    assert path.exists()  # it is the administrator's


def test_a_masked_unit_is_refused_and_nothing_is_touched(site: SmallSite, qualified: Qualified) -> None:
    site.install_small("next")
    site.machine.check("systemctl", "mask", "--runtime", AGENTS[2])
    pids = [site.machine.unit(unit, "MainPID") for unit in AGENTS]
    done = site.activate("next", expect=1)
    assert "systemctl unmask" in done.stdout
    assert [site.machine.unit(unit, "MainPID") for unit in AGENTS] == pids
    qualified(6, "a masked unit", "refused, no process touched")


def test_a_release_that_is_well_is_recorded(site: SmallSite, qualified: Qualified) -> None:
    site.install_small("next")
    since = time.time()
    site.activate("next")
    assert_runs(site, "next")
    qualified(10, "upgrade of small agents", worst(site.machine, AGENTS, since))


def test_a_drop_in_that_replaces_the_program_is_refused_and_nothing_is_touched(
    site: SmallSite, qualified: Qualified
) -> None:
    """No release can run its own program then, the previous one neither; nothing of the administrator's is removed."""
    site.install_small("next")
    path = _drop_in(site, "ExecStart=\nExecStart=/usr/bin/sleep 1000")
    pids = [site.machine.unit(unit, "MainPID") for unit in AGENTS]
    assert DROP_IN in site.activate("next", expect=1).stdout
    assert [site.machine.unit(unit, "MainPID") for unit in AGENTS] == pids
    path.unlink()
    site.activate("next")
    assert_runs(site, "next")
    qualified(6, "a drop-in that replaces the program of every release", "refused, no process touched")


def test_a_drop_in_that_no_release_can_live_with_is_told_and_mended_once_it_is_gone(
    site: SmallSite, qualified: Qualified
) -> None:
    site.install_small("next")
    path = _drop_in(site, "ExecStartPre=/usr/bin/false")
    site.activate("next", expect=4)
    path.unlink()
    site.machine.check("systemctl", "daemon-reload")
    assert site.machine.run(site.program, "recover").returncode == 0
    assert_runs(site, GOOD)
    qualified(6, "a drop-in that no release can live with", "stranded and told (4), mended by recover")


def _drop_in(site: SmallSite, line: str) -> Path:
    path = site.machine.path(DROP_IN)
    path.parent.mkdir()
    path.write_text(f"[Service]\n{line}\n")
    return path
