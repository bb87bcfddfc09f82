"""The record's file: what is written is read again, and nothing else is taken for a record."""

import contextlib
import fcntl
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from installer import release_file
from installer.host import history
from installer.host.commit import is_configured
from installer.host.lock import Locked, locked
from installer.host.patience import RealPatience
from installer.paths import Paths
from installer.record_file import parse, render
from states.errors import HostError, Refused
from states.plan import Record
from states.unit import AGENTS, SSH_ACCESS

TEXTS = st.text(max_size=20)
RECORDS = st.builds(
    Record,
    release=TEXTS,
    previous=st.none() | TEXTS,
    components=st.lists(TEXTS, max_size=3).map(tuple),
    units=st.lists(st.sampled_from(AGENTS), max_size=3).map(tuple),
    running=st.booleans(),
    at=TEXTS,
    by=TEXTS,
    transaction=TEXTS,
)
GOOD = {
    "release": "A",
    "previous": None,
    "components": ["site-agent"],
    "units": [SSH_ACCESS],
    "running": True,
    "at": "2026-12-01T00:00:00Z",
    "by": "alice",
    "transaction": "1",
}


@given(RECORDS)
def test_a_record_survives_its_file(record: Record) -> None:
    assert parse(render(record), "active-release") == record


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    with contextlib.suppress(HostError):
        parse(data, "active-release")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"release": 7}, "the value of 'release' is of the wrong type"),
        ({"previous": 7}, "the value of 'previous' is of the wrong type"),
        ({"running": "yes"}, "the value of 'running' is of the wrong type"),
        ({"components": "site-agent"}, "the value of 'components' is of the wrong type"),
        ({"units": ["sshd.service"]}, "'sshd.service' is no unit of ours"),
        ({"units": [SSH_ACCESS, 7]}, "the value of 'units' must be a list of texts"),
        ({"colour": "blue"}, "its keys must be"),
    ],
)
def test_nothing_is_coerced(change: dict[str, object], why: str) -> None:
    with pytest.raises(HostError, match=why) as caught:
        parse(json.dumps({**GOOD, **change}).encode(), "active-release")
    assert "restore it from a backup" in caught.value.hint


@pytest.mark.parametrize("key", GOOD)
def test_every_key_is_required(key: str) -> None:
    values = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(HostError, match="its keys must be"):
        parse(json.dumps(values).encode(), "active-release")


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_object_is_no_record(data: bytes) -> None:
    with pytest.raises(HostError, match="cannot read the record"):
        parse(data, "active-release")


NO_OBJECTS = [b"", b"[]", b"null", b"7", b'"x"', b"{", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000]


@pytest.mark.parametrize("data", NO_OBJECTS)
def test_no_file_of_json_that_others_could_write_crashes_its_reader(data: bytes, tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    for path in (paths.etc / "configured", paths.history, paths.lock):
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    paths.site_env.write_bytes(b"")
    assert len(is_configured(paths)) == 1
    assert list(history.read(paths)) in ([], [{}])
    with contextlib.suppress(Refused):
        release_file.parse(data, "release.json", {})
    with paths.lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Locked, match="another run that has just begun"), locked(paths, {}, 0, RealPatience()):
            pass
