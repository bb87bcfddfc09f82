"""What our reader lets pass, tar(1) and tarfile unpack as just that: no byte means one thing here, another there."""

import gzip
import hashlib
import stat
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.hostile.archives import EPOCH, TOP, respelled, with_sums
from fixtures.hostile.small import small_files
from installer.builder.packing import gzip_bytes, tar_bytes
from installer.host.inflate import Broken
from installer.host.tarheader import Header, header
from installer.package import read_package

FILES = with_sums(small_files())
PLAIN = tar_bytes(FILES, TOP, EPOCH)
FIELDS = {
    "name": (0, 100),
    "mode": (100, 108),
    "owner": (108, 124),
    "size": (124, 136),
    "time": (136, 148),
    "kind": (156, 157),
    "link": (157, 257),
    "magic": (257, 265),
    "owner by name": (265, 329),
    "device": (329, 345),
    "prefix": (345, 500),
    "padding": (500, 512),
}
BYTES = st.sampled_from([b"\0", b" ", b"0", b"1", b"7", b"8", b"/", b".", b"x", b"_", b"-", b"\x80", b"\xff", b"\n"])


def unpacked(path: Path, directory: Path) -> dict[str, str]:
    """Return what tar(1) makes of an archive: each file's digest; everything else by its kind and mode."""
    subprocess.run(["tar", "-xzf", path, "-C", directory], check=True, capture_output=True, timeout=60)
    found = {}
    for each in directory.rglob("*"):
        mode = each.lstat().st_mode
        assert stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        assert each.lstat().st_uid == each.lstat().st_gid == 0 or not_root()
        assert stat.S_IMODE(mode) in {0o644, 0o755}
        if each.is_file():
            found[str(each.relative_to(directory))] = hashlib.sha256(each.read_bytes()).hexdigest()
    return found


def not_root() -> bool:
    return Path("/proc/self").stat().st_uid != 0


def agree(data: bytes) -> bool:
    """Return whether our reader lets an archive pass; then everybody reads the same from it."""
    with tempfile.TemporaryDirectory() as name:
        path, directory = Path(name) / "archive.tar.gz", Path(name) / "unpacked"
        path.write_bytes(gzip_bytes(data))
        if read_package(path).faults:
            return False
        directory.mkdir()
        wanted = {f"{TOP}/{file}": hashlib.sha256(content).hexdigest() for file, content in FILES.items()}
        assert unpacked(path, directory) == wanted
        with tarfile.open(path) as tar:
            assert {each.name for each in tar.getmembers() if each.isfile()} == set(wanted)
        return True


def test_a_good_archive_is_unpacked_as_it_is_read() -> None:
    assert agree(PLAIN)


@pytest.mark.parametrize("field", FIELDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_spelling_of_a_header_means_two_things(field: str, data: st.DataObject) -> None:
    low, high = FIELDS[field]
    at = data.draw(st.integers(low, high - 1))
    length = data.draw(st.integers(1, min(4, high - at)))
    change = b"".join(data.draw(st.lists(BYTES, min_size=length, max_size=length)))
    agree(respelled(PLAIN, at, change))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(PLAIN) - 1), st.binary(min_size=1, max_size=3))
def test_no_bytes_of_a_tar_mean_two_things(at: int, change: bytes) -> None:
    agree(PLAIN[:at] + change + PLAIN[at + len(change) :])


@given(st.binary(min_size=512, max_size=512))
def test_no_block_crashes_the_reader_of_headers(block: bytes) -> None:
    for each in (block, block[:257] + b"ustar\x0000" + block[265:]):
        with pytest.raises(Broken):
            header(each)


def test_a_header_that_we_write_is_read() -> None:
    assert header(PLAIN[:512]) == Header(TOP, directory=True, mode=0o755, size=0)
    name = "/".join(["a" * 60, "b" * 60])
    long = tar_bytes({name: b"x"}, TOP, EPOCH)
    assert header(long[1024:1536]) == Header(f"{TOP}/{name}", directory=False, mode=0o644, size=1)


def test_compressed_archives_of_other_builders_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(gzip.compress(PLAIN, mtime=0))
    assert read_package(path).faults == ()
