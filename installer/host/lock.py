"""One run at a time: an exclusive flock(2), released by the kernel when the process ends, so it is never stale."""

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from installer import jsontext
from installer.host import atomic, identity
from installer.host.patience import RealPatience
from installer.paths import Paths
from states.errors import HostError, PharosError

FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a FIFO would wait
AWAY: Final = "it is none of ours; move it away"
BEGINNING: Final = "another run that has just begun"


class Locked(PharosError):
    """Another run holds the lock."""


@contextmanager
def locked(paths: Paths, holder: Mapping[str, object], wait: float, patience: RealPatience) -> Iterator[None]:
    """Hold the lock; `holder` (pid, command, operator, since) is what a second run tells its operator.

    It is written with the start time of its process: what a killed run left in the file names nobody, also when another
    process has its number now.

    Raises:
        Locked: another run still holds it after `wait` seconds.
        HostError: the lock file cannot be made, or its file system knows no locks.

    """
    handle = _open(paths)
    try:
        _acquire(handle, paths, wait, patience)
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps({**holder, "started": identity.started(os.getpid())}).encode(), 0)
        yield
    finally:
        os.close(handle)  # the file stays: removing it would let two runs hold two locks


def _open(paths: Paths) -> int:
    try:
        atomic.make_directory(paths.lock.parent)
        handle = os.open(paths.lock, FLAGS, 0o644)
    except OSError as error:
        raise HostError(f"cannot open the lock '{paths.lock}': {error.strerror}", hint=AWAY) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise HostError(f"cannot open the lock '{paths.lock}': it is no regular file", hint=AWAY)
    return handle


def _acquire(handle: int, paths: Paths, wait: float, patience: RealPatience) -> None:
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise _held(handle) from None
            patience.wait(0.1)
        except OSError as error:
            raise HostError(f"cannot lock '{paths.lock}': its file system knows no flock: {error.strerror}") from error
        else:
            return


def _held(handle: int) -> Locked:
    try:
        by = jsontext.loads(os.pread(handle, 4096, 0))
        words = f"'{by['command']}' of {by['operator']} since {by['since']} (pid {by['pid']})"
        if identity.started(by["pid"]) != by["started"]:
            words = BEGINNING
    except (ValueError, KeyError, TypeError):
        words = BEGINNING
    return Locked(f"cannot begin: {words} holds the lock", hint="wait for it, or use --wait SECONDS")
