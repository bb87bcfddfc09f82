"""The one place that runs a program: a fixed path, a clean environment, a time limit, and its own process group."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from installer.paths import Paths
from states.errors import HostError

if TYPE_CHECKING:
    import subprocess

CLEAN: Final = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
    "TZ": "UTC",
}
TAIL: Final = 2000  # characters of a failed program's output that are worth showing


@attrs.frozen
class Identity:
    """A numeric identity to run a program as; supplementary groups are dropped."""

    uid: int
    gid: int


@attrs.frozen
class Completed:
    """How a program ended: `status` is its exit status, or -N when signal N ended it."""

    argv: tuple[str, ...]
    status: int
    stdout: str
    stderr: str


def find(paths: Paths, name: str) -> Path:
    """Return the program of the operating system; raise `HostError` when it is not there."""
    for directory in paths.programs:
        if os.access(directory / name, os.X_OK):
            return directory / name
    raise HostError(f"cannot run '{name}': it is in none of {' '.join(map(str, paths.programs))}")


def run(
    argv: Sequence[str | Path],
    *,
    seconds: float,
    identity: Identity | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Completed:
    """Run a program and return how it ended; it never outlives `seconds`.

    The environment is CLEAN plus `environment`, the working directory `/`, umask 022. The program is in a process
    group of its own: a terminal's Ctrl-C does not reach it, and the time limit ends its children too.

    Raises:
        HostError: it cannot be started, or the time is over.

    """
    return start(argv, seconds=seconds, identity=identity, environment=environment, stdin=stdin)()


def start(
    argv: Sequence[str | Path],
    *,
    seconds: float,
    identity: Identity | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Callable[[], Completed]:
    """Start a program as `run` does, and return what waits for its end: other work can be done meanwhile."""
    import subprocess

    words = tuple(map(str, argv))
    who = {"user": identity.uid, "group": identity.gid, "extra_groups": []} if identity else {}
    try:
        child = subprocess.Popen(  # type: ignore[call-overload]
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={**CLEAN, **(environment or {})},
            umask=0o022,
            process_group=0,
            **who,
        )
    except OSError as error:
        raise HostError(f"cannot run '{words[0]}': {error.strerror}", facts={"path": words[0]}) from error
    return lambda: _ended(child, words, stdin, seconds)


def _ended(child: "subprocess.Popen[bytes]", words: tuple[str, ...], stdin: bytes, seconds: float) -> Completed:
    import subprocess

    try:
        out, err = child.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(child.pid)
        child.communicate()
        message = f"cannot wait for '{words[0]}': no end after {seconds:g} s"
        raise HostError(message, facts={"argv": list(words)}) from None
    except BaseException:
        _end(child.pid)
        child.wait()
        raise
    return Completed(words, child.returncode, _text(out), _text(err))


def ask(argv: Sequence[str | Path], *, seconds: float) -> Completed:
    """Run a program that only answers, as the caller; it costs no import of subprocess.

    Raises:
        HostError: it cannot be started, or the time is over.

    """
    words = tuple(map(str, argv))
    out, err = os.memfd_create("out"), os.memfd_create("err")
    try:
        pid = _spawn(words, out, err)
        status = _await(pid, words[0], seconds)
        return Completed(words, status, _text(_all(out)), _text(_all(err)))
    finally:
        os.close(out)
        os.close(err)


def _spawn(words: tuple[str, ...], out: int, err: int) -> int:
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, out, 1),
        (os.POSIX_SPAWN_DUP2, err, 2),
    ]
    here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.chdir("/")  # posix_spawn(3) has no other way to say where; the caller's directory may be gone
        return os.posix_spawn(words[0], words, CLEAN, file_actions=actions, setpgroup=0)
    except OSError as error:
        raise HostError(f"cannot run '{words[0]}': {error.strerror}", facts={"path": words[0]}) from error
    finally:
        os.fchdir(here)
        os.close(here)


def _await(pid: int, program: str, seconds: float) -> int:
    import select

    handle = os.pidfd_open(pid)
    try:
        ended = select.poll()
        ended.register(handle, select.POLLIN)
        in_time = bool(ended.poll(seconds * 1000))
    finally:
        os.close(handle)
    if not in_time:
        _end(pid)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if in_time:
        return status
    raise HostError(f"cannot wait for '{program}': no end after {seconds:g} s", facts={"argv": [program]})


def _all(handle: int) -> bytes:
    return os.pread(handle, os.fstat(handle).st_size, 0)


def must(done: Completed, what: str) -> Completed:
    """Return `done` if it succeeded; else raise `HostError` saying that `what` is not possible, with its output."""
    if done.status == 0:
        return done
    tail = (done.stderr.strip() or done.stdout.strip())[-TAIL:]
    facts = {"argv": list(done.argv), "status": done.status, "tail": tail.splitlines()}
    first = tail.splitlines()[0] if tail else "it said nothing"
    raise HostError(f"cannot {what}: '{Path(done.argv[0]).name}' ended with status {done.status}: {first}", facts=facts)


def _end(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
