"""Whether an identity reaches a file: the closed directory is named, through links too."""

import os
from pathlib import Path

import pytest

from installer.host.process import Identity
from installer.host.reach import closed_to, python_version
from states.errors import HostError

AGENT = Identity(61001, 61001)


@pytest.fixture
def program(sandbox_dir: Path) -> Path:
    (sandbox_dir / "a/b").mkdir(parents=True)
    path = sandbox_dir / "a/b/program"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_an_open_way_is_open(program: Path) -> None:
    assert closed_to(program, AGENT) is None


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o744])
def test_a_closed_directory_is_named(program: Path, mode: int) -> None:
    program.parents[1].chmod(mode)
    assert closed_to(program, AGENT) == program.parents[1]


def test_a_directory_of_the_identitys_group_is_open_to_it(program: Path) -> None:
    program.parents[1].chmod(0o750)
    os.chown(program.parents[1], 0, 61001)
    assert closed_to(program, AGENT) is None
    assert closed_to(program, Identity(61002, 61002)) == program.parents[1]


def test_a_program_that_may_not_be_executed_is_named(program: Path) -> None:
    program.chmod(0o644)
    assert closed_to(program, AGENT) == program


def test_the_way_leads_through_links(program: Path, sandbox_dir: Path) -> None:
    (sandbox_dir / "link").symlink_to("a")
    (sandbox_dir / "a/absolute").symlink_to(sandbox_dir / "a/b")
    program.parent.chmod(0o700)
    assert closed_to(sandbox_dir / "link/absolute/../b/program", AGENT) == program.parent


def test_what_is_not_there_is_named(program: Path) -> None:
    assert closed_to(program.parent / "absent", AGENT) == program.parent / "absent"
    (program.parent / "loop").symlink_to("loop")
    assert closed_to(program.parent / "loop", AGENT) == program.parent / "loop"


def test_a_real_python_says_its_version_as_the_identity(python: Path) -> None:
    assert python_version(python, AGENT) >= (3, 13)


def test_a_python_without_a_needed_module_is_told(sandbox_dir: Path, python: Path) -> None:
    poor = sandbox_dir / "python3"
    poor.write_text(f"#!/bin/sh\nexec {python} -S -c 'import absent'\n")
    poor.chmod(0o755)
    with pytest.raises(HostError, match="cannot use Python"):
        python_version(poor, AGENT)
