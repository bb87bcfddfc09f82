"""Staging killed by kill -9, at each of its steps and in the middle of a pip: no release; the next run makes one."""

import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from installer.host import shelf
from installer.host.tree import SUMS, complete, damage
from installer.releases import installed
from installer.stageable import faults
from tests.installer.conftest import Wheels
from tests.installer.stages import Stage, make_stage

REPOSITORY = Path(__file__).parents[2]
STEPS = ("environments of site-agent and ssh-access", "byte-compilation", "seal", "one try as the service identities",
         "checksums")  # fmt: skip
STAGE = """
import contextlib, os, signal, sys
from pathlib import Path
from installer.host import atomic
from tests.installer.stages import Stage
root, site_env, when, where = sys.argv[1:]
@contextlib.contextmanager
def report(what):
    if (when, where) == ("before", what):
        os.kill(os.getpid(), signal.SIGKILL)
    yield
    if (when, where) == ("after", what):
        os.kill(os.getpid(), signal.SIGKILL)
if when == "renaming":
    def rename(source, target, really=os.rename):
        if target.name == where:
            os.kill(os.getpid(), signal.SIGKILL)
        really(source, target)
    os.rename = rename
made = Stage(Path(root), Path(site_env).read_bytes())
from installer.staging import stage
stage(made.paths, made.site, made.archive, made.site_env, report)
"""


@pytest.fixture
def ready(sandbox_dir: Path, python: Path, wheels: Wheels, pip: Path) -> Stage:
    made = make_stage(sandbox_dir, python, wheels, pip)
    (sandbox_dir / "site.env").write_bytes(made.site_env)
    return made


def _start(ready: Stage, when: str = "never", where: str = "") -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", STAGE, str(ready.root), str(ready.root / "site.env"), when, where]
    return subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE)


def _killed(ready: Stage, when: str, where: str) -> None:
    with _start(ready, when, where) as child:
        _, error = child.communicate(timeout=120)
    assert child.returncode == -signal.SIGKILL, error.decode()


def test_a_kill_after_the_last_step_comes_too_late(ready: Stage) -> None:
    _killed(ready, "after", STEPS[-1])
    assert damage(ready.release) == ()


@pytest.mark.parametrize("where", STEPS)
def test_a_killed_staging_is_no_release_and_the_next_run_makes_one(ready: Stage, where: str) -> None:
    _killed(ready, "before", where)
    assert not complete(ready.release)
    assert installed(ready.paths) == ()
    assert faults(ready.paths, ready.site, ready.archive) == ()
    assert damage(ready.run()) == ()


def test_a_kill_in_the_last_rename_leaves_no_release(ready: Stage) -> None:
    _killed(ready, "renaming", SUMS)
    assert not complete(ready.release)
    assert damage(ready.run()) == ()
    assert not list(ready.release.glob(".*"))


@pytest.fixture
def endless(sandbox_dir: Path, python: Path, wheels: Wheels) -> Stage:
    """An archive whose pip never ends."""
    pip = sandbox_dir / "pip-26.3-py3-none-any.whl"
    with zipfile.ZipFile(pip, "w") as archive:
        archive.writestr("pip/__main__.py", "import time\ntime.sleep(3600)\n")
    made = make_stage(sandbox_dir, python, wheels, pip)
    (sandbox_dir / "site.env").write_bytes(made.site_env)
    return made


def test_no_program_of_a_killed_staging_outlives_it(endless: Stage) -> None:
    with _start(endless) as child:
        _wait(lambda: len(_programs(endless, " install ")) == 2, child)
        child.kill()
        child.communicate(timeout=60)
    try:
        _wait(lambda: not _programs(endless, ""), child)
    finally:
        for pid in _programs(endless, ""):
            os.kill(pid, signal.SIGKILL)
    assert not complete(endless.release)


def _programs(ready: Stage, word: str) -> list[int]:
    """The processes that work on this release."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = os.fsdecode(path.read_bytes()).replace("\0", " ")
        except OSError:
            continue
        if str(ready.release) in words and word in words:
            found.append(int(path.parent.name))
    return found


def _wait(until: Callable[[], object], child: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 10
    while not until():
        assert time.monotonic() < end, f"nothing happened; the child: {child.poll()}"
        time.sleep(0.005)


@pytest.mark.parametrize("name", ["1.0", ".trash-1.0"])
def test_a_killed_removal_leaves_no_release_and_is_finished_by_the_next_run(ready: Stage, name: str) -> None:
    ready.run()
    (ready.paths.releases / ".unfinished-1.0").touch()
    (ready.release / SUMS).unlink()
    ready.release.rename(ready.release.with_name(name))
    assert installed(ready.paths) == ()
    assert [path.name for path in shelf.leftovers(ready.paths)] == [name]
    shelf.clear(ready.paths, ())
    assert list(ready.paths.releases.iterdir()) == []


def test_the_trash_of_an_earlier_removal_does_not_take_the_release_with_it(ready: Stage) -> None:
    ready.run()
    (ready.paths.releases / ".trash-1.0/lib").mkdir(parents=True)
    shelf.clear(ready.paths, ())
    assert [each.id for each in installed(ready.paths)] == ["1.0"]
    assert damage(ready.release) == ()
