"""Where events go: a real datagram socket in the journal's place, a real file; what cannot be written stops nothing."""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from installer.host.sinks import Journal, LogFile

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[tuple[Journal, socket.socket]]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "socket"))
        yield Journal(tmp_path / "socket"), server


def fields(data: bytes) -> dict[str, bytes]:
    """Take an entry of the native protocol apart."""
    found = {}
    while data:
        name, separator, data = data.partition(b"\n")
        if b"=" in name:
            key, _, value = name.partition(b"=")
        else:
            assert separator
            (size,) = struct.unpack("<Q", data[:8])
            key, value, data = name, data[8 : 8 + size], data[9 + size :]
        found[key.decode()] = value
    return found


def test_an_entry_has_the_text_the_priority_and_the_fields(journal: tuple[Journal, socket.socket]) -> None:
    sink, server = journal
    assert sink.write('{"event": "ä"}', "error", {"PHAROS_STEP": "link"})
    entry = fields(server.recv(65536))
    assert entry == {
        "MESSAGE": '{"event": "ä"}'.encode(),
        "PRIORITY": b"3",
        "SYSLOG_IDENTIFIER": b"pharos-hpc",
        "PHAROS_STEP": b"link",
    }


def test_a_field_with_a_line_break_keeps_it(journal: tuple[Journal, socket.socket]) -> None:
    sink, server = journal
    assert sink.write("one\ntwo", "info", {})
    assert fields(server.recv(65536))["MESSAGE"] == b"one\ntwo"


def test_an_entry_too_large_for_a_datagram_is_sent_as_a_sealed_file(journal: tuple[Journal, socket.socket]) -> None:
    sink, server = journal
    text = "x" * 1_000_000
    assert sink.write(text, "unheard-of", {})
    _, handles, _, _ = socket.recv_fds(server, 1, 1)
    try:
        entry = fields(os.pread(handles[0], 2_000_000, 0))
    finally:
        os.close(handles[0])
    assert entry["MESSAGE"].decode() == text
    assert entry["PRIORITY"] == b"6"


def test_a_journal_that_is_full_or_gone_does_not_hang_a_step(journal: tuple[Journal, socket.socket]) -> None:
    sink, server = journal
    taken = [sink.write("x" * 10_000, "info", {}) for _ in range(2_000)]
    assert taken[0]
    assert not taken[-1]
    server.close()
    sink.path.unlink()
    assert not sink.write("x", "info", {})


def test_a_log_file_holds_one_event_a_line_also_after_a_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "log/steps.jsonl"
    assert LogFile(path).write("one", "info", {})
    with path.open("a") as file:
        file.write("torn")
    assert LogFile(path).write("two", "info", {})
    assert path.read_text() == "one\ntorn\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_log_file_that_is_a_link_a_directory_or_nobody_reads_is_left_alone(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "link").symlink_to(victim)
    (tmp_path / "directory").mkdir()
    assert not LogFile(tmp_path / "link").write("x", "info", {})
    assert not LogFile(tmp_path / "directory").write("x", "info", {})
    assert not LogFile(victim / "below").write("x", "info", {})
    assert victim.read_text() == "mine"


WRITER = """\
import json, sys
from pathlib import Path
from installer.host.sinks import LogFile
sink = LogFile(Path(sys.argv[1]))
sys.stdin.read()
for number in range(300):
    assert sink.write(json.dumps({"by": sys.argv[2], "text": "x" * 5000}), "info", {})
"""


def test_lines_of_many_processes_are_each_whole_and_none_is_empty(tmp_path: Path) -> None:
    log = tmp_path / "steps.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(log), str(number)], stdin=subprocess.PIPE, cwd=REPOSITORY)
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()  # now all at once
    assert [writer.wait(60) for writer in writers] == [0] * 4
    lines = log.read_text().splitlines()
    assert len(lines) == 1200
    assert all(json.loads(line)["text"] == "x" * 5000 for line in lines)


def test_a_writer_that_is_stopped_in_the_middle_of_a_line_stops_nobody(tmp_path: Path) -> None:
    log = tmp_path / "steps.jsonl"
    with log.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert LogFile(log).write("{}", "info", {})
    assert log.read_text() == "{}\n"
