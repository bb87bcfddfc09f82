import gzip
import io
import tarfile

import pytest

from installer.builder import locks, packing
from installer.builder.locks import Pin
from states.errors import Refused

EPOCH = 1_700_000_000
FILES = {"manifest": b"format: 1\n", "pharos-hpc": b"#!/bin/sh\n", "units/b.service": b"b", "units/a.service": b"a"}


def test_the_order_in_which_files_were_found_is_not_in_the_archive() -> None:
    backwards = dict(reversed(FILES.items()))
    assert packing.tar_bytes(FILES, "top", EPOCH) == packing.tar_bytes(backwards, "top", EPOCH)


def test_everything_in_the_archive_is_roots_dated_and_below_one_directory() -> None:
    with tarfile.open(fileobj=io.BytesIO(packing.tar_bytes(FILES, "top", EPOCH))) as archive:
        members = archive.getmembers()
    names = ["top", "top/manifest", "top/pharos-hpc", "top/units", "top/units/a.service", "top/units/b.service"]
    assert [each.name for each in members] == names
    assert {(each.uid, each.gid, each.uname, each.mtime) for each in members} == {(0, 0, "", EPOCH)}
    assert [each.mode for each in members] == [0o755, 0o644, 0o755, 0o755, 0o644, 0o644]


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../b", "a//b", "", "./a"])
def test_a_path_that_leads_out_of_the_archive_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="plain relative path"):
        packing.tar_bytes({name: b""}, "top", EPOCH)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 256_000])
def test_packed_bytes_read_back_tell_no_time_and_are_not_compressed(size: int) -> None:
    data = (bytes(range(256)) * 1000)[:size]
    packed = packing.gzip_bytes(data)
    assert gzip.decompress(packed) == data
    assert packed[4:8] == b"\0\0\0\0"
    assert len(packed) == size + 18 + 5 * max(1, -(-size // 65_535))


def test_a_lock_reads_back_as_what_was_written() -> None:
    pins = (Pin("a", "1.0", "0" * 64), Pin("b-c", "2", "f" * 64))
    assert locks.parse(locks.render(pins).decode(), "x.lock") == pins


@pytest.mark.parametrize(
    "line", ["a", "a>=1", "a==1", "a==1 --hash=md5:00", f"a==1 --hash=sha256:{'0' * 63}", "-r other"]
)
def test_a_line_that_pins_nothing_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(Refused, match=r"x\.lock:2: cannot read"):
        locks.parse(f"# comment\n{line}\n", "x.lock")


@pytest.mark.parametrize("name", ["runtime", "site-agent", "ssh-access", "sdists", "tools", "pip"])
def test_each_lock_names_each_distribution_once(name: str) -> None:
    pins = locks.read_lock(f"{name}.lock")
    assert pins
    assert len({pin.name for pin in pins}) == len(pins)
