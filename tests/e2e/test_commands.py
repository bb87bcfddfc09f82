"""Every command in a real process, from a small archive to an empty host, as an operator meets it."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from fixtures import launch
from fixtures.archive import build_wheel, make_archive, pip_wheel
from fixtures.central import Central
from fixtures.sandbox import Sandbox
from fixtures.site import site_env
from installer import exits
from installer.host.files import RealFiles
from installer.paths import Paths
from states.plan import Record
from tests.events import parsed


@attrs.frozen
class Host:
    """An empty host with a site.env, and archives that were unpacked on it."""

    sandbox: Sandbox
    central: Central
    archives: Path

    @property
    def paths(self) -> Paths:
        return Paths(self.sandbox.root)

    def run(self, archive: str, *words: str) -> subprocess.CompletedProcess[str]:
        return launch.run(self.sandbox.root, self.archives / archive / "pharos-hpc", *words)

    def done(self, archive: str, *words: str, code: int = exits.DONE) -> str:
        """Run a command that ends with `code`, and return what it printed."""
        ended = self.run(archive, *words)
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout

    def answer(self, archive: str, *words: str, code: int = exits.DONE) -> Any:
        return json.loads(self.done(archive, *words, "--json", code=code))

    def last(self, archive: str, *words: str, code: int = exits.DONE) -> dict[str, Any]:
        """Run a changing command and return its last event."""
        return parsed(self.done(archive, *words, code=code).splitlines())[-1]


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give two small archives, A and B, each a real one."""
    directory = tmp_path_factory.mktemp("archives")
    pip = pip_wheel(directory)
    for release in ("A", "B"):
        wheels = {name: [build_wheel(directory / f"wheels-{release}", name)] for name in ("site-agent", "ssh-access")}
        make_archive(directory / release, release, wheels, pip)
    return directory


@pytest.fixture
def host(sandbox: Sandbox, archives: Path, python: Path, tmp_path: Path) -> Iterator[Host]:
    mine = tmp_path / "archives"
    shutil.copytree(archives, mine)
    with Central.start(tmp_path / "central") as central:
        made = Host(sandbox, central, mine)
        made.paths.etc.mkdir(parents=True)
        made.paths.site_env.write_bytes(site_env(central, HOST_PYTHON=str(python)))
        yield made
    if made.paths.step_log.exists():
        parsed(made.paths.step_log.read_text().splitlines())


def test_install_makes_the_accounts_and_the_release_and_then_has_nothing_to_do(host: Host) -> None:
    first = host.last("A", "install")
    assert (first["outcome"], first["release"]) == ("done", "A")
    assert host.sandbox.run("getent", "passwd", "pharos-agent").stdout.startswith("pharos-agent:")
    again = host.last("A", "install")
    assert again["message"] == "release 'A' is installed already"
    assert again["duration_s"] < first["duration_s"]
    host.done("B", "install")
    assert host.done("B", "releases").split() == ["A", "B"]


def test_install_says_what_it_would_do_and_does_nothing(host: Host) -> None:
    told = host.done("A", "install", "--plan")
    assert "nothing was changed" in told
    assert "stage '" in told
    assert "pharos-agent" in told
    steps = host.answer("A", "install", "--plan")["steps"]
    assert len(steps) > 1
    assert not host.paths.releases.exists()
    host.done("A", "install")
    assert host.answer("A", "install", "--plan")["steps"] == []


def test_install_refuses_a_damaged_archive_before_any_change(host: Host) -> None:
    with (host.archives / "A/units/pharos-hpc-recover.service").open("a") as file:
        file.write("# changed\n")
    assert "pharos-hpc-recover.service" in host.done("A", "install", "--plan", code=exits.REFUSED)
    last = host.last("A", "install", code=exits.REFUSED)
    assert "cannot install release 'A'" in last["message"]
    assert "nothing was changed" in last["hint"]
    assert not host.paths.releases.exists()
    assert host.sandbox.run("getent", "passwd", "pharos-agent").stdout == ""


def test_install_refuses_the_same_id_with_other_inputs(host: Host) -> None:
    host.done("A", "install")
    text = host.paths.site_env.read_text()
    host.paths.site_env.write_text(text.replace("SITE_NAME=icarus", "SITE_NAME=other"))
    last = host.last("A", "install", code=exits.REFUSED)
    assert "SITE_NAME" in last["message"]
    assert "SITE_NAME" in host.done("A", "install", "--plan", code=exits.REFUSED)


def test_a_program_that_lies_beside_no_manifest_says_so(host: Host) -> None:
    for words in (["install"], ["configure"], ["activate"]):
        ended = launch.run(host.sandbox.root, host.archives / "pharos-hpc", *words)
        assert ended.returncode == exits.REFUSED
        assert "unpacked archive" in ended.stdout + ended.stderr


def test_releases_and_history_tell_of_an_empty_host(host: Host) -> None:
    assert host.done("A", "releases") == "no release is installed\n"
    assert host.answer("A", "releases") == {"releases": []}
    assert host.done("A", "history") == "nothing has been done yet\n"
    assert host.done("A", "status", code=exits.PREVIOUS).startswith("no release is active\n")


def test_history_has_every_run_also_a_refused_one(host: Host) -> None:
    host.done("A", "install")
    host.done("A", "rollback", code=exits.REFUSED)
    runs = host.answer("A", "history")["history"]
    assert [(run["command"], run["outcome"]) for run in runs] == [("install", "done"), ("rollback", "refused")]
    lines = host.done("A", "history", "--lines", "1").splitlines()
    assert len(lines) == 1
    assert "refused" in lines[0]


def test_a_torn_last_line_of_the_history_is_left_out(host: Host) -> None:
    host.done("A", "install")
    with host.paths.history.open("a") as file:
        file.write('{"at": "2026-')
    assert [run["command"] for run in host.answer("A", "history")["history"]] == ["install"]
    host.done("A", "install")
    assert len(host.answer("A", "history")["history"]) == 2


def test_prune_removes_whole_releases_but_never_those_of_the_links(host: Host) -> None:
    for release in ("A", "B"):
        host.done(release, "install")
    host.paths.opt.joinpath("current").symlink_to("releases/A")
    assert host.done("A", "prune", "--keep", "0", "--plan") == "remove release 'B'\nnothing was changed\n"
    assert host.answer("A", "prune", "--keep", "1", "--plan") == {"steps": [], "leftovers": []}
    assert "--keep takes 0 or more" in host.run("A", "prune", "--keep", "-1", "--plan").stderr
    host.paths.opt.joinpath("current").unlink()
    assert "removed 1 releases: A" in host.last("A", "prune", "--keep", "1")["message"]
    assert host.done("B", "releases") == "B\n"


def test_the_state_graph_is_printed_in_every_form(host: Host) -> None:
    assert host.done("A", "states").startswith("stateDiagram-v2")
    assert host.done("A", "states", "--format", "dot").startswith("digraph")
    edges = host.answer("A", "states")["edges"]
    assert {"from": "verified", "trigger": "link", "to": "linked"} in edges


def test_check_names_each_fault_and_what_helps(host: Host) -> None:
    tokens = host.central.write_inputs(host.archives / "tokens")
    told = host.done("A", "check", "site.env", "archive", "accounts", "python", "inputs", "--tokens", str(tokens))
    assert told.splitlines()[-1].startswith("5 areas, 0 errors")
    host.paths.site_env.write_text(host.paths.site_env.read_text() + "COLOUR=blue\n")
    told = host.done("A", "check", "site.env", code=exits.REFUSED)
    assert "PH-SITE-" in told
    assert "COLOUR" in told
    assert "remedy:" in told
    assert not host.answer("A", "check", "site.env", code=exits.REFUSED)["ok"]


def test_check_knows_its_areas(host: Host) -> None:
    ended = host.run("A", "check", "weather")
    assert ended.returncode == exits.REFUSED
    assert "cannot check 'weather'" in ended.stderr
    assert "site.env" in ended.stderr


def test_a_wrong_command_line_says_what_helps(host: Host) -> None:
    ended = host.run("A", "activate", "--colour")
    assert ended.returncode == exits.USAGE
    assert "hint: pharos-hpc --help" in ended.stderr
    assert host.done("A", "--version").startswith("pharos-hpc ")
    assert "exit codes:" in host.done("A")


def test_a_sandbox_root_must_be_an_absolute_path(host: Host) -> None:
    for root in ("relative", "/", "/tmp/../etc"):
        environment = {**launch.environment(host.sandbox.root), "PHAROS_HPC_ROOT": root}
        ended = launch.run(host.sandbox.root, host.archives / "A/pharos-hpc", "status", env=environment)
        assert ended.returncode == exits.REFUSED
        assert "PHAROS_HPC_ROOT" in ended.stderr


def test_install_works_on_a_stranded_host_as_it_may_be_the_remedy(host: Host) -> None:
    host.done("A", "install")
    shutil.move(host.paths.releases / "A", host.archives / "kept")
    record = Record("A", None, ("site-agent",), ("waldur-site-agent@report.service",), False, "then", "root", "one")
    RealFiles(host.paths).commit(record)
    assert "the record names release 'A'" in host.last("B", "install", code=exits.STRANDED)["message"]
    assert host.done("B", "releases").split() == ["B"], "it did its work all the same"
    assert host.last("A", "install")["release"] == "A"
    assert host.answer("A", "status", code=exits.PREVIOUS)["release"] == "A"
