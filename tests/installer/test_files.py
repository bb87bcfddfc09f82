"""The files port on real files: links, the record and releases, and what it says when they are not right."""

import json
import os
import stat
from pathlib import Path

import pytest

from installer.host import atomic
from installer.host.files import RealFiles
from installer.paths import Paths
from states.errors import HostError, Refused
from states.plan import Component, Record
from states.unit import RECOVER, UNIT_FILES

RECORD = Record("A", None, ("site-agent",), ("waldur-site-agent@report.service",), True, "then", "root", "one")


@pytest.fixture
def files(tmp_path: Path) -> RealFiles:
    made = RealFiles(Paths(tmp_path))
    made.paths.releases.mkdir(parents=True)
    made.paths.units.mkdir(parents=True)
    return made


def install(files: RealFiles, name: str, **how: str) -> Path:
    directory = files.paths.release(name)
    (directory / "units").mkdir(parents=True)
    (directory / "units" / RECOVER).write_bytes(b"[Unit]\n")
    (directory / "units/other.service").write_bytes(b"not ours\n")
    described = {"id": how.get("id", name), "components": [{"name": "ssh-access", "settle": 2, "proof": ""}]}
    (directory / "release.json").write_text(json.dumps(described))
    (directory / "SHA256SUMS").write_text("")
    return directory


def test_a_link_is_relative_and_left_alone_when_it_is_right(files: RealFiles) -> None:
    assert files.link("current") is None
    files.point("current", "A")
    assert os.readlink(files.paths.opt / "current") == "releases/A"
    number = os.lstat(files.paths.opt / "current").st_ino
    files.point("current", "A")
    assert os.lstat(files.paths.opt / "current").st_ino == number
    files.point("current", "B")
    assert files.link("current") == "B"
    files.point("current", None)
    files.point("current", None)
    assert files.link("current") is None


def test_a_link_that_leads_elsewhere_is_told_as_it_is(files: RealFiles) -> None:
    (files.paths.opt / "current").symlink_to("/opt/other")
    assert files.link("current") == "/opt/other"


def test_a_link_that_names_its_own_directory_is_never_a_release(files: RealFiles) -> None:
    (files.paths.opt / "current").symlink_to("A")
    assert files.link("current") == "./A"
    files.point("current", "A")
    assert os.readlink(files.paths.opt / "current") == "releases/A"


def test_a_directory_in_the_place_of_a_link_is_not_touched(files: RealFiles) -> None:
    for name in ("current", "site-agent", "previous"):
        (files.paths.opt / name).mkdir()
    with pytest.raises(HostError, match=r"'.*/current': it is not a symbolic link") as caught:
        files.link("current")
    assert caught.value.hint == "move it away"
    for act in (files.expose, files.hide):
        with pytest.raises(HostError, match=r"site-agent'"):
            act("site-agent")
    assert (files.paths.opt / "site-agent").is_dir()
    with pytest.raises(HostError, match=r"cannot change '.*/previous': Is a directory") as caught:
        files.point("previous", None)
    assert caught.value.facts == {"path": str(files.paths.opt / "previous"), "errno": "EISDIR"}
    assert not caught.value.hint, "what helps depends on the cause, which the sentence has"


def test_a_place_that_cannot_be_read_is_told_with_its_cause(files: RealFiles) -> None:
    files.paths.releases.rmdir()
    files.paths.opt.rmdir()
    files.paths.opt.write_text("a file")
    with pytest.raises(HostError, match=r"cannot change '.*/current': Not a directory"):
        files.link("current")


def test_exactly_the_links_that_lead_through_current_are_exposed(files: RealFiles) -> None:
    files.expose("ssh-access")
    assert os.readlink(files.paths.opt / "ssh-access") == "current/ssh-access"
    number = os.lstat(files.paths.opt / "ssh-access").st_ino
    files.expose("ssh-access")
    assert os.lstat(files.paths.opt / "ssh-access").st_ino == number
    (files.paths.opt / "site-agent").symlink_to("releases/A/site-agent")
    assert set(files.exposed()) == {"ssh-access"}
    files.expose("site-agent")
    assert set(files.exposed()) == {"site-agent", "ssh-access"}
    files.hide("ssh-access")
    files.hide("ssh-access")
    assert set(files.exposed()) == {"site-agent"}


def test_the_record_is_public_and_absent_until_it_is_committed(files: RealFiles) -> None:
    assert files.record() is None
    files.commit(RECORD)
    assert files.record() == RECORD
    assert stat.S_IMODE(files.paths.record.stat().st_mode) == 0o644
    files.commit(None)
    files.commit(None)
    assert files.record() is None
    assert not files.paths.record.exists()


def test_a_record_that_cannot_be_read_or_written_is_told(files: RealFiles) -> None:
    files.paths.record.mkdir(parents=True)
    with pytest.raises(HostError, match=r"cannot read '.*/active-release': Is a directory") as caught:
        files.record()
    assert caught.value.facts["errno"] == "EISDIR"
    with pytest.raises(HostError, match=r"cannot change '.*/active-release': Is a directory"):
        files.commit(RECORD)
    files.paths.record.rmdir()
    files.paths.record.write_text("{}")
    with pytest.raises(HostError, match=r"active-release"):
        files.record()
    files.paths.record.unlink()
    files.paths.state.rmdir()
    files.paths.state.write_text("a file")
    with pytest.raises(HostError, match=r"cannot change '.*/var/lib/pharos-hpc'"):
        files.commit(RECORD)


@pytest.mark.parametrize(("error", "told"), [(OSError(9999, "strange"), "9999"), (OSError("strange"), "None")])
def test_an_error_without_a_name_is_told_by_its_number(
    files: RealFiles, monkeypatch: pytest.MonkeyPatch, error: OSError, told: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(atomic, "remove", fails)
    with pytest.raises(HostError, match=r"cannot change") as caught:
        files.hide("site-agent")
    assert caught.value.facts["errno"] == told


def test_a_release_is_what_it_says_with_its_own_unit_files(files: RealFiles) -> None:
    install(files, "A")
    release = files.release("A")
    assert (release.id, release.components) == ("A", (Component("ssh-access", 2.0, ""),))
    assert release.unit_files == {RECOVER: b"[Unit]\n"}


def test_a_release_without_its_sums_is_none(files: RealFiles) -> None:
    (install(files, "A") / "SHA256SUMS").unlink()
    with pytest.raises(Refused, match=r"release 'A' is not installed below '.*/releases'") as caught:
        files.release("A")
    assert caught.value.hint == "pharos-hpc install"


def test_a_release_that_does_not_say_what_it_is_is_none(files: RealFiles) -> None:
    (install(files, "A") / "release.json").unlink()
    with pytest.raises(Refused, match=r"cannot read '.*/A/release.json': No such file or directory"):
        files.release("A")
    install(files, "B", id="A")
    with pytest.raises(Refused, match=r"'.*/B' holds release 'A'"):
        files.release("B")


def test_damage_is_told_and_a_release_that_cannot_be_read_is_an_error(files: RealFiles) -> None:
    install(files, "A")
    assert any(RECOVER in sentence for sentence in files.damage("A")), "it is not listed"
    with pytest.raises(HostError, match=r"cannot change '.*/releases/B'"):
        files.damage("B")


def test_every_temporary_file_of_ours_is_found_and_swept_and_nothing_else(files: RealFiles) -> None:
    paths = files.paths
    paths.state.mkdir(parents=True)
    names = [paths.opt / name for name in ("current", "previous", "site-agent", "ssh-access")]
    left = [atomic.temporary(path) for path in (*names, *(paths.units / unit for unit in UNIT_FILES), paths.record)]
    for path in left[1:]:
        path.write_text("half")
    left[0].symlink_to("nowhere")
    other = paths.units / ".other.service.pharos-tmp"
    other.write_text("not ours")
    assert set(files.leftovers()) == {str(path) for path in left}
    files.sweep()
    assert files.leftovers() == ()
    assert other.exists()
