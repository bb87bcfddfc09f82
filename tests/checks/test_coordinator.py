"""The site agent as a coordinator, without an admin level: enough for some versions of Slurm and not for others."""

import sys
from pathlib import Path

import attrs
import pytest

from fixtures.slurm import Slurm
from installer.checks import slurm
from installer.checks.rule import Finding
from installer.site_env import read_site_env
from tests.installer.site_values import SITE


def found(directory: Path, version: str) -> list[Finding]:
    stub = Slurm.install(directory, sys.executable)
    stub.change(lambda state: state.update(version=version))
    return list(slurm._coordinator(directory))


@pytest.mark.parametrize("version", ["slurm-wlm 22.05.8", "slurm 21.08.1", "slurm 19.05.0-rc1"])
def test_before_23_02_it_may_add_nobody(tmp_path: Path, version: str) -> None:
    (finding,) = found(tmp_path, version)
    assert finding.code == "PH-SLURM-07"
    assert version in finding.found


@pytest.mark.parametrize("version", ["slurm 23.02.0", "slurm 24.05.4", "slurm-wlm 24.11.5", "slurm of our own"])
def test_from_then_on_and_where_no_version_is_told_nothing_is_found(tmp_path: Path, version: str) -> None:
    assert found(tmp_path, version) == []


def test_an_operator_needs_no_version_and_a_coordinator_does(tmp_path: Path) -> None:
    stub = Slurm.install(tmp_path, sys.executable)
    stub.change(lambda state: state.update(version="slurm-wlm 22.05.8"))
    site = attrs.evolve(
        read_site_env(SITE.encode(), "site.env"), native_slurm_cluster="icarus", native_slurm_account="pharos"
    )
    assert list(slurm._accounting(site, tmp_path)) == []
    stub.change(lambda state: state["users"]["pharos-agent"].update(admin_level="None"))
    assert [finding.code for finding in slurm._accounting(site, tmp_path)] == ["PH-SLURM-07"]
