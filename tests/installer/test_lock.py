"""One run at a time: who holds the lock is told truly, also over what a killed run left, whoever has its number now."""

import fcntl
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from installer.host import identity
from installer.host.lock import Locked, locked
from installer.host.patience import RealPatience, undisturbed
from installer.paths import Paths
from states.errors import HostError, Interrupted

HOLDER = {"pid": os.getpid(), "command": "activate", "operator": "root", "since": "2026-12-01T00:00:00Z"}


@contextmanager
def somebody_else(paths: Paths) -> Iterator[None]:
    """Hold the lock as a run does that has not written yet who it is."""
    handle = os.open(paths.lock, os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    yield
    os.close(handle)


def take(paths: Paths, wait: float = 0, **holder: object) -> None:
    with locked(paths, {**HOLDER, **holder}, wait, RealPatience()):
        pass


def test_the_holder_is_told_with_its_command_operator_time_and_pid(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    with locked(paths, HOLDER, 0, RealPatience()), pytest.raises(Locked) as caught:
        take(paths)
    assert caught.value.message == (
        f"cannot begin: 'activate' of root since 2026-12-01T00:00:00Z (pid {os.getpid()}) holds the lock"
    )
    assert caught.value.hint == "wait for it, or use --wait SECONDS"
    take(paths)


def test_what_a_killed_run_left_is_no_lock_and_names_nobody(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    take(paths)
    ended = subprocess.Popen(["true"])
    ended.wait()
    for text in (b"", b"{", b"[]", b'{"pid": 1}', *(record(pid) for pid in (ended.pid, os.getpid()))):
        paths.lock.write_bytes(text)
        with somebody_else(paths), pytest.raises(Locked, match="another run that has just begun"):
            take(paths)
        take(paths)


def record(pid: int) -> bytes:
    """What a run wrote that had this number long ago."""
    return json.dumps({**HOLDER, "pid": pid, "started": "1"}).encode()


def test_a_longer_record_of_before_leaves_nothing_of_itself(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    take(paths, operator="x" * 100)
    take(paths)
    assert json.loads(paths.lock.read_bytes())["operator"] == "root"
    assert paths.lock.stat().st_mode & 0o777 == 0o644


def test_a_waiting_run_begins_when_the_other_ends_and_not_before(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    take(paths)
    handle = os.open(paths.lock, os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)

    class Ends(RealPatience):
        def wait(self, seconds: float) -> None:
            assert seconds == 0.1
            os.close(handle)

    with locked(paths, HOLDER, 60, Ends()):
        pass


def test_a_wait_can_be_interrupted(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    take(paths)
    with somebody_else(paths), undisturbed() as patience:
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)  # other threads do not hold it back
        with pytest.raises(Interrupted), locked(paths, HOLDER, 60, patience):
            pass


def test_the_lock_is_not_inherited(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    with locked(paths, HOLDER, 0, RealPatience()):
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    take(paths)
    child.kill()
    child.wait()


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.lock.parent.mkdir(parents=True)
    paths.lock.symlink_to("/etc/passwd")
    with pytest.raises(HostError, match="cannot open the lock"):
        take(paths)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["fifo", "directory"])
def test_what_is_no_file_is_no_lock_and_the_hint_says_what_to_do(tmp_path: Path, make: Callable[[Path], None]) -> None:
    paths = Paths(tmp_path)
    paths.lock.parent.mkdir(parents=True)
    make(paths.lock)
    with pytest.raises(HostError, match="cannot open the lock") as caught:
        take(paths)
    assert "move it away" in caught.value.hint


def test_a_process_is_known_by_its_number_and_its_start() -> None:
    child = subprocess.Popen(["sleep", "60"])
    first = identity.started(child.pid)
    assert int(first) >= int(identity.started(os.getpid())) > int(identity.started(1))
    child.kill()
    child.wait()
    assert identity.started(child.pid) == ""
