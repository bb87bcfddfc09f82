"""Hundreds of commands at once, readers during a thousand switches, and a lock that a file system does not have."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fixtures import launch
from fixtures.archive import build_wheel, make_archive, pip_wheel
from fixtures.site import REPOSITORY, Site
from installer import exits
from installer.host.files import RealFiles
from installer.host.systemd import RealUnits
from states.plan import Record
from states.unit import SITE_AGENT
from tests.e2e.test_activate import activated, events, status

AT_ONCE = 200
SWITCHES = 1000
CONTENDERS = (
    ("activate", "--release", "A"),
    ("activate", "--release", "B", "--wait", "20"),
    ("rollback", "--wait", "20"),
    ("activate", "site-agent", "--release", "B"),
    ("status", "--json"),
    ("prune", "--keep", "2", "--wait", "20"),
    ("stop",),
    ("install", "--wait", "10"),
    ("configure", "--wait", "10"),
    ("recover",),
)
OUTCOMES = {exits.DONE, exits.REFUSED, exits.PREVIOUS, exits.LOCKED}
AROUND = {"run.started", "run.finished"}  # before the lock is taken, and after it is given back


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a small archive of release R."""
    directory = tmp_path_factory.mktemp("archive")
    wheels = {name: [build_wheel(directory / "wheels", name)] for name in ("site-agent", "ssh-access")}
    make_archive(directory / "R", "R", wheels, pip_wheel(directory))
    return directory / "R"


def command(site: Site, archive: Path, words: tuple[str, ...]) -> list[str]:
    """`install` and `configure` are run by the program of the archive, as by an operator."""
    if words[0] in {"install", "configure"}:
        return launch.launched(archive / "pharos-hpc", *words)
    return site.command(*words)


def test_hundreds_of_commands_at_once_never_interleave(site: Site, archive: Path, tmp_path: Path) -> None:
    mine = shutil.copytree(archive, tmp_path / "R")
    site.configure(HOST_PYTHON=str(site.python))
    for name in ("A", "B"):
        site.install(name, settle=0)
    assert run(site, command(site, mine, ("install",))).returncode == exits.DONE
    for name in ("A", "B"):
        assert site.run("activate", "--release", name).returncode == exits.DONE
    begun = [start(site, command(site, mine, CONTENDERS[number % len(CONTENDERS)])) for number in range(AT_ONCE)]
    ended = [(child.wait(240), words(child)) for child in begun]
    told = [(code, said) for code, said in ended if code not in OUTCOMES and "status" not in said]
    assert told == []
    never_interleaved(events(site.paths.step_log.read_text()))
    assert site.run("recover").returncode == exits.DONE
    assert status(site)["consistent"]
    print({code: sum(1 for each, _ in ended if each == code) for code in sorted({code for code, _ in ended})})


def start(site: Site, argv: list[str]) -> "subprocess.Popen[bytes]":
    nothing = subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=REPOSITORY, env=site.environment, stdin=nothing, stdout=nothing, stderr=nothing)


def words(child: "subprocess.Popen[bytes]") -> list[str]:
    assert isinstance(child.args, list)
    return [str(word) for word in child.args]


def never_interleaved(log: list[dict[str, Any]]) -> None:
    """What a run does under the lock stands together in the log, and before its own last event."""
    under_lock = [event["transaction"] for event in log if event["event"] not in AROUND]
    runs = [one for one, before in zip(under_lock, [None, *under_lock], strict=False) if one != before]
    assert len(runs) == len(set(runs)), "two runs interleave"
    finished: set[str] = set()
    for event in log:
        assert event["transaction"] not in finished, event
        if event["event"] == "run.finished":
            finished.add(event["transaction"])
    assert {event["transaction"] for event in log} == finished
    print(f"{len(finished)} runs, {len(runs)} of them worked under the lock")


READER = """\
import json, os, select, sys
opt, units, record = sys.argv[1:]
seen, counts = set(), 0
while not select.select([sys.stdin], [], [], 0)[0]:
    target = os.readlink(f"{opt}/current")
    assert target in {"releases/A", "releases/B"}, target
    os.readlink(f"{opt}/previous")
    os.stat(f"{opt}/site-agent/bin/waldur_site_agent")
    release = os.open(f"{opt}/current", os.O_RDONLY | os.O_DIRECTORY)
    texts = []
    for name in ("release.json", "units/waldur-site-agent@.service", "SHA256SUMS"):
        with open(os.open(name, os.O_RDONLY, dir_fd=release)) as file:
            texts.append(file.read())
    os.close(release)
    id = json.loads(texts[0])["id"]
    assert texts[1].endswith(f"# of release {id}\\n"), "a mixture"
    with open(f"{units}/waldur-site-agent@.service") as file:
        last = file.read().splitlines()[-1]
    assert last in {"# of release A", "# of release B"}, last
    with open(record) as file:
        recorded = json.load(file)
    assert {recorded["release"], recorded["previous"]} == {"A", "B"}, recorded
    seen.add(id)
    counts += 1
print(json.dumps({"seen": sorted(seen), "loops": counts}))
"""
STATUS = """\
import json, select, subprocess, sys
codes, counts = set(), 0
while not select.select([sys.stdin], [], [], 0)[0]:
    ended = subprocess.run(sys.argv[1:], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    answer = json.loads(ended.stdout)
    assert answer["release"] in {"A", "B"} and not ended.stderr, ended
    codes.add(ended.returncode)
    counts += 1
print(json.dumps({"seen": sorted(codes), "loops": counts}))
"""


@contextmanager
def reading(site: Site, script: str, *arguments: str) -> Iterator[dict[str, Any]]:
    """Read in a process of its own meanwhile; afterwards: what it saw, and how often it looked."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", script, *arguments],
        cwd=REPOSITORY,
        env=site.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    told: dict[str, Any] = {}
    try:
        yield told
    finally:
        out, err = child.communicate(timeout=60)  # its standard input ends, and so does it
    assert child.returncode == 0, err
    told.update(json.loads(out))


def test_readers_see_no_error_and_no_mixture_during_a_thousand_switches(site: Site) -> None:
    activated(site, "A")
    activated(site, "B")
    files, units = RealFiles(site.paths), RealUnits(site.paths)
    first = files.record()
    assert first is not None
    where = (str(site.paths.opt), str(site.paths.units), str(site.paths.record))
    with reading(site, READER, *where) as raw, reading(site, STATUS, *site.command("status", "--json")) as told:
        for number in range(SWITCHES):
            switch(files, units, first, *(("A", "B") if number % 2 == 0 else ("B", "A")))
    assert raw["seen"] == ["A", "B"]
    assert raw["loops"] > 100
    assert told["loops"] > 1
    assert set(told["seen"]) <= {exits.DONE, exits.STRANDED}
    assert site.run("recover").returncode == exits.DONE, "systemd was not told of the last unit file"
    assert status(site)["consistent"]
    print(f"{SWITCHES} switches, {raw['loops']} reads, {told['loops']} of status: {told['seen']}")


def switch(files: RealFiles, units: RealUnits, record: Record, to: str, before: str) -> None:
    """What an activation does to the files, in its order."""
    import attrs

    files.point("previous", before)
    files.point("current", to)
    for component in ("site-agent", "ssh-access"):
        files.expose(component)
    units.place(to, SITE_AGENT)
    files.commit(attrs.evolve(record, release=to, previous=before))


@pytest.mark.parametrize("error", ["ENOLCK", "EOPNOTSUPP", "ENOSYS"])
def test_a_file_system_without_locks_is_said_and_nothing_is_done(site: Site, error: str) -> None:
    activated(site, "A")
    traced = ["strace", "-f", "-o", "/dev/null", "-e", "trace=flock", "-e", f"inject=flock:error={error}"]
    done = run(site, [*traced, *site.command("stop")])
    assert done.returncode == exits.REFUSED, done.stderr
    message = events(done.stdout)[-1]["message"]
    assert f"cannot lock '{site.paths.lock}': its file system knows no flock" in message
    assert status(site)["running"], "nothing was done without a lock"


def test_a_lock_that_a_killed_run_left_is_none_whoever_has_its_number_now(site: Site) -> None:
    activated(site, "A")
    other = subprocess.Popen(["sleep", "600"])
    try:
        left = json.loads(site.paths.lock.read_bytes())
        site.paths.lock.write_text(json.dumps({**left, "pid": other.pid}))
        assert site.run("stop").returncode == exits.DONE
        assert other.poll() is None, "it is not ours"
    finally:
        other.kill()
        other.wait()


def run(site: Site, argv: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv, capture_output=True, text=True, check=False, timeout=120, cwd=REPOSITORY,
        env=site.environment, stdin=subprocess.DEVNULL,
    )  # fmt: skip
