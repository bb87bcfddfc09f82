"""A tree against its lists: every kind of damage is told, and nothing else."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from installer.host.tree import complete, damage, write_sums
from states.errors import HostError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A sealed tree with a file, a directory, a link and an interpreter link that leads out of it."""
    root = tmp_path / "release"
    (root / "lib/deep").mkdir(parents=True)
    (root / "agent/bin").mkdir(parents=True)
    (root / "manifest").write_text("format: 1\n")
    (root / "lib/deep/code.py").write_text("pass\n")
    (root / "lib64").symlink_to("lib")
    (root / "agent/bin/python3.13").symlink_to("/usr/bin/python3.13")
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    write_sums(root)
    return root


def test_an_untouched_tree_has_no_damage(tree: Path) -> None:
    assert damage(tree) == ()
    assert complete(tree)


def test_the_list_is_what_sha256sum_checks(tree: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tree, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    listed = {line[66:] for line in (tree / "SHA256SUMS").read_text().splitlines()}
    assert listed == {"links", "manifest", "lib/deep/code.py"}


def test_links_are_listed_with_their_targets(tree: Path) -> None:
    assert (tree / "links").read_text() == "agent/bin/python3.13 -> /usr/bin/python3.13\nlib64 -> lib\n"


def _empty_directory(root: Path) -> None:
    (root / "lib/empty").mkdir()


def _replaced_by_directory(root: Path) -> None:
    (root / "manifest").unlink()
    (root / "manifest").mkdir()


def _replaced_by_link(root: Path) -> None:
    (root / "manifest").rename(root.parent / "elsewhere")
    (root / "manifest").symlink_to(root.parent / "elsewhere")


def _retargeted(root: Path) -> None:
    (root / "lib64").unlink()
    (root / "lib64").symlink_to("agent")


def _link_out(root: Path) -> None:
    (root / "lib/out").symlink_to("../../../etc")


def _absolute_link(root: Path) -> None:
    (root / "lib/absolute").symlink_to("/etc/passwd")


DAMAGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("changed", lambda r: (r / "manifest").write_text("format: 2\n"), "'manifest' was changed"),
    ("grown", lambda r: (r / "lib/deep/code.py").write_text("pass\n\n"), "'lib/deep/code.py' was changed"),
    ("missing", lambda r: (r / "lib/deep/code.py").unlink(), "'lib/deep/code.py' is missing"),
    ("added", lambda r: (r / "lib/deep/code.pyc").touch(), "'lib/deep/code.pyc' was added"),
    ("directory", _empty_directory, "directory 'lib/empty' was added"),
    ("link added", lambda r: (r / "new").symlink_to("lib"), "link 'new' was added; it leads to 'lib'"),
    ("link missing", lambda r: (r / "lib64").unlink(), "link 'lib64' is missing"),
    ("link changed", _retargeted, "link 'lib64' was changed; it leads to 'agent' instead of 'lib'"),
    ("link out", _link_out, "link 'lib/out' leads out of the tree, to '../../../etc'"),
    ("link absolute", _absolute_link, "link 'lib/absolute' leads out of the tree, to '/etc/passwd'"),
    ("fifo", lambda r: os.mkfifo(r / "lib/pipe"), "'lib/pipe' is neither a regular file, a link nor a directory"),
    ("file to directory", _replaced_by_directory, "'manifest' is missing, or is no regular file"),
    ("file to link", _replaced_by_link, "'manifest' is missing, or is no regular file"),
    ("group writes", lambda r: (r / "manifest").chmod(0o664), "'manifest' may be written by others"),
    ("others enter", lambda r: (r / "lib").chmod(0o757), "'lib' may be written by others"),
    ("root of it", lambda r: r.chmod(0o775), "'.' may be written by others"),
    ("owner", lambda r: os.chown(r / "manifest", 61001, -1), "'manifest' belongs to uid 61001 instead of root"),
    ("no list", lambda r: (r / "SHA256SUMS").unlink(), "'SHA256SUMS' cannot be used"),
    ("bad list", lambda r: (r / "SHA256SUMS").write_text("nonsense\n"), "'SHA256SUMS' cannot be used: line 1"),
]


@pytest.mark.parametrize(("change", "sentence"), [each[1:] for each in DAMAGES], ids=[each[0] for each in DAMAGES])
def test_a_damage_is_told(tree: Path, change: Callable[[Path], object], sentence: str) -> None:
    change(tree)
    assert any(each.startswith(sentence) for each in damage(tree)), damage(tree)


def test_an_archive_may_belong_to_whoever_unpacked_it(tree: Path) -> None:
    os.chown(tree / "manifest", 61001, -1)
    assert damage(tree, owned=False) == ()


def test_a_symbolic_link_is_never_followed_out_of_the_tree(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/code.py").write_text("pass\n")
    (tree / "lib/deep/code.py").unlink()
    (tree / "lib/deep").rmdir()
    (tree / "lib/deep").symlink_to(tmp_path / "outside")
    assert "'lib/deep/code.py' is missing, or is no regular file" in damage(tree)


def test_a_name_with_a_line_end_cannot_be_listed(tree: Path) -> None:
    (tree / "two\nlines").touch()
    with pytest.raises(HostError, match="a name with a line end"):
        write_sums(tree)


def test_a_tree_with_a_link_out_of_it_cannot_be_sealed(tree: Path) -> None:
    _link_out(tree)
    (tree / "SHA256SUMS").unlink()
    with pytest.raises(HostError, match="link 'lib/out' leads out of it"):
        write_sums(tree)
    assert not complete(tree)


def test_a_link_is_no_list(tree: Path) -> None:
    (tree / "SHA256SUMS").rename(tree / "other")
    (tree / "SHA256SUMS").symlink_to("other")
    assert not complete(tree)


FORKED = """
import os, sys
from pathlib import Path
from installer.host import hashing
root = Path(sys.argv[1])
folders = [hashing.Folder(path.name, tuple(sorted(os.listdir(path)))) for path in root.iterdir()]
hashing.cpus = lambda: 3
{then}
"""
SAME = """
forked = hashing.look(root, folders)
hashing.cpus = lambda: 1
sys.exit(forked != hashing.look(root, folders) or len(forked) != 1200)
"""
DIES = """
hashing._rows = lambda *_: os._exit(9)
hashing.look(root, folders)
"""


def _in_a_process_without_threads(root: Path, then: str) -> subprocess.CompletedProcess[str]:
    for number in range(1200):
        path = root / f"d{number % 7}" / f"f{number}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(os.urandom(number * 3))
    command = [sys.executable, "-c", FORKED.format(then=then), str(root)]
    repository = Path(__file__).parents[2]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False, timeout=60)


def test_forked_workers_see_what_one_process_sees(tmp_path: Path) -> None:
    done = _in_a_process_without_threads(tmp_path, SAME)
    assert done.returncode == 0, done.stderr


def test_a_worker_that_dies_is_told(tmp_path: Path) -> None:
    done = _in_a_process_without_threads(tmp_path, DIES)
    assert f"cannot read the files below '{tmp_path}': a worker process died" in done.stderr


def test_the_lists_are_readable_by_everybody_whatever_the_umask(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = os.umask(0o077)
    try:
        write_sums(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "SHA256SUMS").stat().st_mode) == 0o444
    assert stat.S_IMODE((tmp_path / "links").stat().st_mode) == 0o444
