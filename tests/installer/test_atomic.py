"""What stands is replaced by rename, durably: each call of the kernel in its order, with its modes and flags."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from installer.host import atomic

CALLS = ("open", "fchmod", "write", "fsync", "close", "rename", "symlink", "unlink", "mkdir", "chmod")
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Kernel:
    """What was asked of the kernel, by name; `breaks` may raise instead, or shorten a write."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.open: dict[int, str] = {}
        self.breaks: Callable[..., Any] = lambda *_: None

    def call(self, name: str, real: Callable[..., Any], *arguments: Any, **where: Any) -> Any:
        shown = tuple(self.open.get(each, each) if isinstance(each, int) and name not in {"open", "chmod", "mkdir"}
                      else Path(each).name if isinstance(each, str | Path) else each for each in arguments)  # fmt: skip
        if name == "fchmod":
            shown = (self.open[arguments[0]], arguments[1])
        if name == "write":
            shown = (self.open[arguments[0]], bytes(arguments[1]))
        self.asked.append((name, *shown))
        if (instead := self.breaks(name, *arguments)) is not None:
            arguments = instead
        result = real(*arguments, **where)
        if name == "open":
            self.open[result] = Path(arguments[0]).name
        return result


@contextmanager
def watched() -> Iterator[Kernel]:
    kernel = Kernel()
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            real = getattr(os, name)
            patch.setattr(os, name, lambda *given, n=name, r=real, **where: kernel.call(n, r, *given, **where))
        yield kernel
        patch.undo()


def durable(directory: Path) -> list[tuple[Any, ...]]:
    name = directory.name
    return [("open", name, DIRECTORY), ("fsync", name), ("close", name)]


def test_a_file_is_on_disk_before_it_has_its_name_and_the_name_after(tmp_path: Path) -> None:
    target, beside = tmp_path / "record", ".record.pharos-tmp"
    before = os.umask(0o077)
    try:
        with watched() as kernel:
            atomic.replace(target, b"new", 0o644)
    finally:
        os.umask(before)
    assert kernel.asked == [
        ("unlink", beside),
        ("open", beside, FRESH, 0o644),
        ("fchmod", beside, 0o644),
        ("write", beside, b"new"),
        ("fsync", beside),
        ("close", beside),
        ("rename", beside, "record"),
        *durable(tmp_path),
    ]
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


def test_what_a_killed_run_left_beside_is_replaced_too(tmp_path: Path) -> None:
    target = tmp_path / "record"
    atomic.temporary(target).symlink_to("/etc/passwd")
    atomic.replace(target, b"new", 0o600)
    assert [path.name for path in tmp_path.iterdir()] == ["record"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize("broken", ["fchmod", "write", "fsync", "rename"])
def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_beside(tmp_path: Path, broken: str) -> None:
    target = tmp_path / "record"
    target.write_bytes(b"old")

    def breaks(name: str, *_: Any) -> None:
        if name == broken:
            raise OSError(28, "No space left on device")

    with watched() as kernel:
        kernel.breaks = breaks
        with pytest.raises(OSError, match="No space left"):
            atomic.replace(target, b"new", 0o644)
    assert kernel.asked[-1] == ("unlink", ".record.pharos-tmp")
    assert ("close", ".record.pharos-tmp") in kernel.asked
    assert [path.name for path in tmp_path.iterdir()] == ["record"]
    assert target.read_bytes() == b"old"


def test_a_kernel_that_writes_byte_by_byte_is_asked_until_all_is_written(tmp_path: Path) -> None:
    with watched() as kernel:
        kernel.breaks = lambda name, *given: (given[0], given[1][:1]) if name == "write" else None
        atomic.replace(tmp_path / "record", b"three", 0o644)
    assert (tmp_path / "record").read_bytes() == b"three"


def test_a_link_is_replaced_by_rename_and_its_name_is_on_disk(tmp_path: Path) -> None:
    link = tmp_path / "current"
    link.symlink_to("releases/A")
    atomic.temporary(link).write_text("left by a killed run")
    with watched() as kernel:
        atomic.link(link, "releases/B")
    assert kernel.asked == [
        ("unlink", ".current.pharos-tmp"),
        *durable(tmp_path),
        ("symlink", "B", ".current.pharos-tmp"),
        ("rename", ".current.pharos-tmp", "current"),
        *durable(tmp_path),
    ]
    assert os.readlink(link) == "releases/B"


def test_what_is_removed_stays_removed_and_what_is_not_there_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "current"
    path.symlink_to("nowhere")
    with watched() as kernel:
        atomic.remove(path)
        atomic.remove(path)
    assert kernel.asked == [("unlink", "current"), *durable(tmp_path), ("unlink", "current")]
    assert not os.path.lexists(path)


def test_a_directory_whose_names_cannot_be_synced_is_closed_all_the_same(tmp_path: Path) -> None:
    def breaks(name: str, *_: Any) -> None:
        if name == "fsync":
            raise OSError(5, "Input/output error")

    with watched() as kernel:
        kernel.breaks = breaks
        with pytest.raises(OSError, match="Input/output"):
            atomic.sync_directory(tmp_path)
    assert kernel.asked == durable(tmp_path)


def test_a_directory_is_made_with_all_above_it_each_durably_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with watched() as kernel:
            atomic.make_directory(tmp_path / "a/b", 0o700)
            atomic.make_directory(tmp_path / "c")
            atomic.make_directory(tmp_path / "c", 0o700)
    finally:
        os.umask(before)
    assert kernel.asked == [
        *[("mkdir", "a"), ("chmod", "a", 0o755), *durable(tmp_path)],
        *[("mkdir", "b"), ("chmod", "b", 0o700), *durable(tmp_path / "a")],
        *[("mkdir", "c"), ("chmod", "c", 0o755), *durable(tmp_path)],
    ]
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "c")]
    assert modes == [0o755, 0o700, 0o755]


def test_a_link_that_cannot_have_its_place_leaves_nothing_beside(tmp_path: Path) -> None:
    (tmp_path / "current").mkdir()
    with pytest.raises(IsADirectoryError):
        atomic.link(tmp_path / "current", "releases/A")
    assert [path.name for path in tmp_path.iterdir()] == ["current"]


def test_a_directory_is_erased_with_all_below_it_and_its_name_stays_gone(tmp_path: Path) -> None:
    committed = tmp_path / "committed"
    (committed / "secrets").mkdir(parents=True)
    (committed / "secrets/token").write_text("old")
    (committed / "link").symlink_to(tmp_path)
    with watched() as kernel:
        atomic.erase(committed)
    assert kernel.asked[-3:] == durable(tmp_path)
    assert not list(tmp_path.iterdir())
    atomic.erase(committed)


def test_a_file_or_link_in_its_place_is_erased_and_what_the_link_leads_to_is_not(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/token").write_text("kept")
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "dangling").symlink_to("nowhere")
    with watched() as kernel:
        for name in ("file", "link", "dangling"):
            atomic.erase(tmp_path / name)
    removed = [("unlink", name) for name in ("file", "link", "dangling")]
    assert kernel.asked == [call for each in removed for call in (each, *durable(tmp_path))]
    assert (tmp_path / "kept/token").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
