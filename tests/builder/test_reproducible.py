"""The same bytes from another path, umask, clock, time zone, locale, hash seed, and by another Python."""

import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from fixtures.metallo_wheel import build_metallo_wheel
from installer.builder import archive, built_wheels, bytecode, downloads, locks, provenance, release
from installer.builder.single_file import REPOSITORY

pytestmark = pytest.mark.slow
BUILDERS = {f"{major}.{minor}": path for (major, minor), path in bytecode.interpreters().items()}
STRANGE = {"PYTHONHASHSEED": "42", "TZ": "America/New_York", "LC_ALL": "C", "LANG": "tr_TR.UTF-8", "COLUMNS": "40"}
# Twenty years later, for whoever asks Python; a build that looked would not be the same.
CLOCK = """\
import time
now, local = time.time, time.localtime
time.time = lambda: now() + 631152000
time.time_ns = lambda: int(time.time() * 10**9)
time.localtime = lambda seconds=None: local(time.time() if seconds is None else seconds)
"""


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """Give a copy of the sources at another path, with the libraries of the builder and another clock beside it."""
    directory = tmp_path_factory.mktemp("else where")
    for name in ("installer", "states", "units", "docs"):
        shutil.copytree(REPOSITORY / name, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "LICENSE", directory)
    for path in downloads.fetch(locks.read_lock("runtime.lock"), cache).values():
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(directory / "libraries")
    (directory / "libraries/sitecustomize.py").write_text(CLOCK)
    return directory


def build(python: Path, elsewhere: Path, *words: str | Path) -> None:
    """Run the builder of the copy, with everything strange that a caller can have."""
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **STRANGE}
    command: list[str | Path] = [python, "-B", "-m", "installer.builder", *words]
    environment["PYTHONPATH"] = str(elsewhere / "libraries")
    done = subprocess.run(
        command, cwd=elsewhere, env=environment, umask=0o077, check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_the_other_clock_is_seen(elsewhere: Path) -> None:
    environment = {"PYTHONPATH": str(elsewhere / "libraries")}
    for python in BUILDERS.values():
        command: list[str | Path] = [python, "-B", "-c", "import time; print(time.localtime().tm_year)"]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60)
        assert int(done.stdout) >= 2044


@pytest.mark.parametrize("version", BUILDERS)
def test_any_python_builds_the_same_archive_and_says_the_same_of_it(
    version: str, elsewhere: Path, order: release.Order, unpacked: Path, tmp_path: Path
) -> None:
    what: list[str | Path] = ["--release", order.release, "--mode", order.mode, "--metallo-wheel", order.metallo]
    how: list[str | Path] = ["--settle", "site-agent=2", "--revision", "unknown", "--cache", order.cache]
    build(BUILDERS[version], elsewhere, "build", *what, *how, "--output", tmp_path / "theirs")
    ours = archive.write_archive(order, bytecode.read_tree(unpacked), tmp_path / "ours")
    theirs = tmp_path / "theirs" / ours.name
    assert theirs.read_bytes() == ours.read_bytes()
    statement = provenance.render(order, release.contents(order), downloads.sha256(ours))
    assert theirs.with_name(f"{ours.name}.intoto.json").read_bytes() == statement
    with tarfile.open(theirs) as tar:
        assert {each.mode for each in tar.getmembers()} == {0o644, 0o755}


@pytest.mark.parametrize("version", BUILDERS)
def test_any_python_builds_the_same_single_file(
    version: str, elsewhere: Path, program: Path, cache: Path, tmp_path: Path
) -> None:
    build(BUILDERS[version], elsewhere, "single-file", tmp_path / "pharos-hpc", "--cache", cache)
    assert (tmp_path / "pharos-hpc").read_bytes() == program.read_bytes()


def test_the_metallo_stand_in_is_the_same_wheel_at_another_path_and_umask(metallo: Path, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        other = build_metallo_wheel(tmp_path / "an other path")
    finally:
        os.umask(before)
    assert other.read_bytes() == metallo.read_bytes()


def test_the_built_wheels_are_built_anew_to_the_locked_bytes(tmp_path: Path, cache: Path) -> None:
    tools = locks.read_lock("tools.lock")
    fresh = tmp_path / "an other cache"
    fresh.mkdir()
    for path in downloads.fetch(tools, cache).values():
        shutil.copy(path, fresh)
    ours = [pin for pin in locks.read_lock("site-agent.lock") if pin.name in built_wheels.names()]
    before = os.umask(0o077)
    try:
        found = built_wheels.fetch(ours, fresh)
    finally:
        os.umask(before)
    assert {pin.name for pin in found} == built_wheels.names() == {"docopt", "pyyaml"}
    assert {downloads.sha256(path) for path in found.values()} == {pin.sha256 for pin in ours}


def test_the_interpreters_that_compile_are_named(order: release.Order) -> None:
    statement = provenance.render(order, release.contents(order), "0" * 64).decode()
    for version in bytecode.versions().values():
        assert f'"{version}"' in statement
    assert set(bytecode.versions()) == set(BUILDERS)
