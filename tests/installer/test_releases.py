"""Room for a release, and which installed releases may go."""

import os
from pathlib import Path

import pytest

from installer import stageable
from installer.host import shelf, space
from installer.host.files import RealFiles
from installer.host.space import MIB, RESERVE, Space
from installer.host.tree import write_sums
from installer.paths import Paths
from installer.releases import installed, prunable, prune
from installer.stageable import needed, room_faults
from states.errors import HostError
from states.plan import Record
from tests.installer.conftest import Wheels
from tests.installer.stages import make_stage


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """Five releases, installed in this order, and an interrupted one."""
    made = Paths(tmp_path)
    for age, name in enumerate(("e", "d", "c", "b", "a")):
        made.release(name).mkdir(parents=True)
        (made.release(name) / "file").write_text(name)
        write_sums(made.release(name))
        os.utime(made.release(name) / "SHA256SUMS", (1000 + age, 1000 + age))
    shelf.begin(made, "half")
    (made.releases / "half/lib").mkdir()
    return made


def test_releases_are_listed_in_the_order_of_their_installation(paths: Paths) -> None:
    assert [each.id for each in installed(paths)] == ["e", "d", "c", "b", "a"]


def test_a_host_without_releases_has_none(tmp_path: Path) -> None:
    assert installed(Paths(tmp_path)) == ()
    prune(Paths(tmp_path), ())


@pytest.mark.parametrize(("keep", "gone"), [(0, "edcba"), (2, "edc"), (5, ""), (9, "")])
def test_the_newest_are_kept(paths: Paths, keep: int, gone: str) -> None:
    assert prunable(paths, keep) == tuple(gone)


def test_what_a_link_or_the_record_names_is_never_removed(paths: Paths) -> None:
    files = RealFiles(paths)
    files.point("current", "e")
    files.point("previous", "b")
    files.commit(Record("d", "c", (), (), running=True, at="", by="", transaction=""))
    assert prunable(paths, 0) == ("a",)
    assert prunable(paths, 0, also_used=("a",)) == ()


def test_pruned_releases_and_leftovers_are_gone(paths: Paths) -> None:
    prune(paths, prunable(paths, 2))
    assert sorted(path.name for path in paths.releases.iterdir()) == ["a", "b"]


def test_what_somebody_else_put_there_is_named_and_never_removed(paths: Paths) -> None:
    (paths.releases / "backup/etc").mkdir(parents=True)
    assert prune(paths, ()) == ("half",)
    assert shelf.foreign(paths) == (paths.release("backup"),)
    assert (paths.releases / "backup/etc").is_dir()


def test_nothing_is_staged_over_what_somebody_else_put_there(
    sandbox_dir: Path, python: Path, wheels: Wheels, pip: Path
) -> None:
    made = make_stage(sandbox_dir, python, wheels, pip)
    (made.release / "etc").mkdir(parents=True)
    (told,) = stageable.faults(made.paths, made.site, made.archive)
    assert "no interrupted run left it: move it away" in told


def test_a_leftover_that_is_in_use_stays(paths: Paths) -> None:
    RealFiles(paths).point("current", "half")
    prune(paths, ())
    assert paths.release("half").exists()


def test_a_sealed_release_can_be_removed_by_its_owner(paths: Paths) -> None:
    for path in (paths.release("a"), paths.release("a") / "file"):
        path.chmod(0o555)
    shelf.remove(paths, "a")
    assert not paths.release("a").exists()


def test_what_cannot_be_removed_is_told(paths: Paths) -> None:
    (paths.releases / ".trash-a").write_text("in the way")
    with pytest.raises(HostError, match=r"cannot remove '.*\.trash-a'"):
        shelf.remove(paths, "a")


def test_what_a_release_takes_is_estimated_from_above(
    sandbox_dir: Path, python: Path, wheels: Wheels, pip: Path
) -> None:
    made = make_stage(sandbox_dir, python, wheels, pip)
    estimate, release = needed(made.archive), made.run()
    taken = space.occupied_by([release])
    assert taken.size <= estimate.size
    assert taken.inodes <= estimate.inodes


def test_a_full_file_system_is_told_in_both_units() -> None:
    found = space.lacking(Path("/opt"), Space(400 * MIB, 5000), Space(500 * MIB, 6999))
    assert found == ("'/opt' has 500 MiB free, 528 MiB are needed", "'/opt' has 6999 inodes free, 7000 are needed")
    assert space.lacking(Path("/opt"), Space(0, 0), RESERVE) == ()


def test_what_is_available_is_asked_where_the_directory_will_be(tmp_path: Path) -> None:
    there = space.available(tmp_path)
    assert abs(space.available(tmp_path / "not/yet").size - there.size) < 1024 * MIB


def test_an_interrupted_staging_counts_as_free(sandbox_dir: Path, python: Path, wheels: Wheels, pip: Path) -> None:
    made = make_stage(sandbox_dir, python, wheels, pip)
    shelf.begin(made.paths, made.archive.release)
    (made.release / "file").write_bytes(b"x" * 3 * MIB)
    assert space.occupied_by(shelf.leftovers(made.paths)).size >= 3 * MIB
    assert room_faults(made.paths, made.archive) == ()


def test_a_file_that_is_no_wheel_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_text("no zip")
    with pytest.raises(HostError, match="cannot read wheel"):
        space.taken_by([tmp_path / "a.whl"])


def test_an_index_release_asks_for_room_for_what_it_will_fetch(
    sandbox_dir: Path, python: Path, wheels: Wheels, pip: Path
) -> None:
    made = make_stage(sandbox_dir, python, wheels, pip, dependency_mode="index")
    assert needed(made.archive).size > 1024 * MIB
