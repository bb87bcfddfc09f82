"""The tests of following.py, which are not collected elsewhere, in a throwaway machine with a systemd of its own."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from fixtures import machine
from installer.builder.downloads import DEFAULT_CACHE
from installer.builder.single_file import build_single_file

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(machine.missing()), reason=f"no machine can be booted here: {machine.missing()}"),
]
HERE = Path(__file__).parent


def test_runs_are_units_of_their_own_on_a_host_with_systemd() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory, machine.booted() as booted:
        program = Path(directory) / "pharos-hpc"
        build_single_file(program, DEFAULT_CACHE.expanduser())
        os.chmod(directory, 0o755)
        settings = ["PYTHONDONTWRITEBYTECODE=1", f"PHAROS_TEST_PROGRAM={program}"]
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:randomly",
            "-p",
            "no:xdist",
            "-q",
            str(HERE / "following.py"),
        ]
        done = booted.run(*settings, *words, cwd=str(HERE.parents[1]))
    assert done.returncode == 0, done.stdout[-8000:]
