"""The contract of the service manager, held against systemd itself in a throwaway machine."""

import sys
from pathlib import Path

import pytest

from fixtures import machine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(machine.missing()), reason=f"no machine can be booted here: {machine.missing()}"),
]
HERE = Path(__file__).parent


def test_systemd_keeps_the_contract_that_the_stand_in_keeps() -> None:
    files = sorted(str(path) for path in HERE.glob("test_service_manager*.py"))
    words = ["-p", "no:randomly", "-p", "no:xdist", "--real-systemd", "-k", "not stand-in", *files]
    with machine.booted() as booted:
        command = ["PYTHONDONTWRITEBYTECODE=1", sys.executable, "-m", "pytest", *words]
        done = booted.run(*command, cwd=str(HERE.parents[1]))
    assert done.returncode == 0, done.stdout
