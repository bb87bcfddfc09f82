"""Debian 12, for the parts that differ: systemd 252, Slurm 22.05, OpenLDAP 2.5, and a Python that the site brought.

The procedures are those of the other modules; here they are run on machines of the other image.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.lab.archives import FIRST
from fixtures.lab.container import Container
from fixtures.lab.image import DEBIAN_12, lacking
from fixtures.lab.native import NativeSite
from fixtures.lab.site import Outside
from fixtures.lab.small_site import SmallSite
from tests.lab import (
    test_accounts_and_usage,
    test_contract,
    test_health,
    test_interruption,
    test_journal,
    test_machines,
    test_procedure,
    test_units,
)
from tests.lab.interrupting import FORWARD
from tests.lab.running import AGENTS

Qualified = Callable[[int, str, str], None]
pytestmark = [
    pytest.mark.parametrize("debian", [DEBIAN_12], ids=["debian-12"], indirect=True),
    pytest.mark.skipif(bool(lacking(DEBIAN_12)), reason=lacking(DEBIAN_12)),
]
CUTS = [*FORWARD, ("compensation.started", "start"), ("resume.started", "resume")]


def test_it_boots_with_these_versions(machine: Container, qualified: Qualified) -> None:
    test_machines.test_a_machine_is_a_debian_with_systemd_as_its_first_process(machine, qualified)
    test_machines.test_versions(machine, DEBIAN_12, qualified)
    own = machine.check("python3", "--version").split()[1]
    assert own.startswith("3.11")  # which runs the operator's program, and could not run the agents
    qualified(0, "its own Python", own)


def test_an_operator_installs_upgrades_goes_back_stops_and_reboots(
    plain: Container, outside: Outside, releases: dict[str, Path], qualified: Qualified
) -> None:
    test_procedure.test_an_operator_installs_upgrades_goes_back_stops_and_reboots(plain, outside, releases, qualified)


def test_an_agent_cannot_leave_its_sandbox_and_finds_what_it_needs(site: SmallSite, qualified: Qualified) -> None:
    test_units.test_an_agent_cannot_leave_its_sandbox_and_finds_what_it_needs(site, qualified)


def test_the_same_attempts_succeed_without_the_sandbox(site: SmallSite, qualified: Qualified) -> None:
    test_units.test_the_same_attempts_succeed_without_the_sandbox(site, qualified)


def test_unit_files_are_clean_and_expose_little(site: SmallSite, qualified: Qualified) -> None:
    test_units.test_unit_files_are_clean(site, qualified)
    for unit in AGENTS:
        test_units.test_exposure_is_below_two(site, qualified, unit)


def test_systemd_252_keeps_the_contract_that_the_stand_in_keeps(machine: Container, qualified: Qualified) -> None:
    test_contract.test_systemd_keeps_the_contract_that_the_stand_in_keeps(machine, DEBIAN_12, qualified)


@pytest.mark.parametrize("what", ["dies at once", "runs from another release"])
def test_an_agent_that_is_not_well_brings_the_previous_release_back(
    site: SmallSite, qualified: Qualified, what: str
) -> None:
    test_health.test_an_agent_that_is_not_well_brings_the_previous_release_back(site, qualified, what)


def test_a_drop_in_that_replaces_the_program_is_refused(site: SmallSite, qualified: Qualified) -> None:
    test_health.test_a_drop_in_that_replaces_the_program_is_refused_and_nothing_is_touched(site, qualified)


def test_a_masked_unit_is_refused(site: SmallSite, qualified: Qualified) -> None:
    test_health.test_a_masked_unit_is_refused_and_nothing_is_touched(site, qualified)


def test_every_line_of_the_journal_is_an_event_and_one_run_can_be_had_by_its_id(
    site: SmallSite, qualified: Qualified
) -> None:
    test_journal.test_every_line_of_the_journal_is_an_event_and_one_run_can_be_had_by_its_id(site, qualified)
    test_journal.test_fields_can_be_queried(site)


def test_a_closed_terminal_does_not_stop_a_run(site: SmallSite, qualified: Qualified) -> None:
    test_interruption.test_a_closed_terminal_does_not_stop_a_run(site, qualified, "in a unit of its own")


def test_systemd_may_re_execute_itself_in_every_step(site: SmallSite, qualified: Qualified) -> None:
    test_interruption.test_systemd_may_re_execute_itself_in_every_step(site, qualified)


@pytest.mark.parametrize("point", CUTS, ids=[" ".join(point) for point in CUTS])
def test_a_power_cut_is_recovered_at_boot_before_any_agent(
    site: SmallSite, qualified: Qualified, point: tuple[str, str]
) -> None:
    test_interruption.test_a_power_cut_in_any_step_is_recovered_at_boot_before_any_agent(site, qualified, point)


def test_an_order_becomes_accounts_and_its_jobs_come_back_as_usage(native: NativeSite, qualified: Qualified) -> None:
    native.have_level("None")
    assert "PH-SLURM-07" in native.pharos(FIRST, "check", "slurm", "--json", expect=1).stdout
    qualified(8, "a site agent that is a coordinator of Slurm and no operator", "refused by check")
    native.have_level("Operator")
    native.pharos(FIRST, "check", "slurm")
    test_accounts_and_usage.test_an_order_becomes_accounts_and_its_jobs_come_back_as_usage(native, qualified)
