import hashlib
from pathlib import Path

import pytest

from installer.builder import built_wheels, downloads, programs
from installer.builder.locks import Pin
from states.errors import Refused


def pin_of(data: bytes) -> Pin:
    return Pin("thing", "1.0", hashlib.sha256(data).hexdigest())


@pytest.fixture
def without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip do nothing, as if the index had nothing."""

    def nothing(_what: str, argv: list[str | Path], **_environment: str) -> str:
        for option in ("--dest", "--wheel-dir"):
            if option in argv:
                Path(argv[argv.index(option) + 1]).mkdir()
        return ""

    monkeypatch.setattr(programs, "run", nothing)


def test_a_file_in_the_cache_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(programs, "run")
    (tmp_path / "thing-1.0-py3-none-any.whl").write_bytes(b"right")
    pin = pin_of(b"right")
    assert downloads.fetch([pin], tmp_path) == {pin: tmp_path / "thing-1.0-py3-none-any.whl"}


@pytest.mark.usefixtures("without_network")
def test_a_file_of_the_right_name_and_other_bytes_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "thing-1.0-py3-none-any.whl").write_bytes(b"wrong")
    with pytest.raises(Refused, match=r"cannot find 'thing' 1\.0 with SHA-256"):
        downloads.fetch([pin_of(b"right")], tmp_path)


def test_a_built_wheel_of_other_bytes_than_locked_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(directory: Path, _cache: Path) -> list[Path]:
        path = directory / "thing-1.0-py3-none-any.whl"
        path.write_bytes(b"other bytes")
        return [path]

    monkeypatch.setattr(built_wheels, "_build", build)
    with pytest.raises(Refused, match=r"cannot build thing 1\.0 as locked"):
        built_wheels.fetch([pin_of(b"right")], tmp_path)


def test_what_is_kept_has_its_whole_bytes_and_a_readable_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    path.write_bytes(b"data")
    cache = tmp_path / "cache"
    cache.mkdir()
    kept = downloads.keep(path, cache)
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (b"data", 0o644)
    assert [each.name for each in cache.iterdir()] == ["a.whl"]
