"""An archive before it is unpacked: every hostile one is refused for its own reason, and nothing is written."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.hostile.archives import Hostile, corpus, good
from fixtures.hostile.small import RELEASE, small_files
from installer.builder.packing import gzip_bytes
from installer.package import KINDS, read_package
from states.errors import Refused

FILES = small_files()
CORPUS = {hostile.name: hostile for hostile in corpus(FILES)}


def snapshot(directory: Path) -> Mapping[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in directory.rglob("*")}


def test_a_good_archive_has_no_fault_and_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(good(FILES))
    package = read_package(path)
    assert package.faults == ()
    assert package.manifest
    assert package.manifest.release == RELEASE
    assert package.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", CORPUS)
def test_a_hostile_archive_is_refused_for_its_own_reason(name: str, tmp_path: Path) -> None:
    hostile: Hostile = CORPUS[name]
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(hostile.data)
    before = snapshot(tmp_path)
    package = read_package(path)
    assert hostile.kind in {kind for kind, _ in package.faults}, package.faults
    assert {kind for kind, _ in package.faults} <= set(KINDS)
    assert package.sha256 == hashlib.sha256(hostile.data).hexdigest(), "the whole file is hashed, whatever it is"
    assert all(text.isascii() and text.replace("\n", "").isprintable() for _, text in package.faults)
    assert snapshot(tmp_path) == before


@given(st.binary(max_size=3000))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    handle = os.memfd_create("archive")
    try:
        for whole in (data, gzip_bytes(data)):
            os.ftruncate(handle, 0)
            os.pwrite(handle, whole, 0)
            assert read_package(Path(f"/proc/self/fd/{handle}")).faults
    finally:
        os.close(handle)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_no_byte_of_an_archive_can_be_changed_unseen(at: int, value: int) -> None:
    data = bytearray(good(FILES))
    at %= len(data)
    if data[at] == value or at in {4, 5, 6, 7, 8, 9}:  # gzip's time, flags and system mean nothing (RFC 1952)
        return
    data[at] = value
    handle = os.memfd_create("archive")
    try:
        os.pwrite(handle, bytes(data), 0)
        package = read_package(Path(f"/proc/self/fd/{handle}"))
    finally:
        os.close(handle)
    assert package.faults or package.sha256 != hashlib.sha256(good(FILES)).hexdigest()


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(Refused, match="cannot read"):
            read_package(path)
