"""A question asked by a forked child: beside others, or as another identity, so that it sees what that one would."""

import os
import pickle
import select
import signal
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

import attrs

from installer.host.process import Identity
from states.errors import HostError, PharosError

T = TypeVar("T")


@attrs.frozen
class Forked(Generic[T]):
    """A child that was started; several can be under way."""

    pid: int
    reading: int
    seconds: float

    def answer(self) -> T:
        """Return what the child found, or raise what it raised (a `PharosError`).

        Raises:
            HostError: it did not end in time, or ended without a word.

        """
        try:
            data = _all(self.reading, self.seconds)
        finally:
            os.close(self.reading)
            os.kill(self.pid, signal.SIGKILL)  # it has answered, or never will
            os.waitpid(self.pid, 0)
        kind, value = pickle.loads(data)  # noqa: S301  # our own child wrote it
        if kind == "error":
            raise value
        found: T = value
        return found


def fork(question: Callable[[], T], identity: Identity | None, seconds: float = 60) -> Forked[T]:
    """Start to ask `question` as `identity` (None: as the caller); no file or signal of ours is the child's to use."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(question, identity, writing)
    os.close(writing)
    return Forked(pid, reading, seconds)


def _child(question: Callable[[], T], identity: Identity | None, writing: int) -> NoReturn:
    try:
        if identity:
            _drop(identity)
        try:
            data = pickle.dumps(("answer", question()))
        except PharosError as error:
            data = pickle.dumps(("error", error))
        except Exception as error:  # noqa: BLE001  # a bug is told by its type: its words could hold a secret
            data = pickle.dumps(("error", HostError(f"cannot ask: {type(error).__name__}")))
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)  # nothing of the parent's is cleaned up here, and no traceback could show a secret


def _drop(identity: Identity) -> None:
    os.setgroups([])
    os.setresgid(identity.gid, identity.gid, identity.gid)
    os.setresuid(identity.uid, identity.uid, identity.uid)


def _all(reading: int, seconds: float) -> bytes:
    data = b""
    while select.select([reading], [], [], seconds)[0]:
        part = os.read(reading, 65536)
        if part:
            data += part
        elif data:
            return data
        else:
            raise HostError("cannot ask: the question ended without an answer")
    raise HostError(f"cannot ask: no answer after {seconds:g} s")
