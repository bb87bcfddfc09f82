"""SHA-256 of many files at once: what each is, read through one buffer, in forked workers.

Per file the cost is opening, not hashing: so no object per file but the hash, one buffer, directories opened once; and
workers are processes, since hashlib frees the interpreter's lock only for reads over 2 kB.
"""

import hashlib
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import attrs

from states.errors import HostError

BUFFER: Final = 1 << 18  # bytes
WORTH_A_FORK: Final = 1000  # files
WORKERS: Final = 8
CHUNK: Final = 128  # files that a worker takes at a time
MANY: Final = 16_000  # chunks whose numbers a pipe holds (64 KiB, pipe(7))
ROW: Final = struct.Struct("<II32s")  # mode and uid of a file, its digest; mode 0: it cannot be read, and the errno
TICKET: Final = struct.Struct("<I")
FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


@attrs.frozen
class Folder:
    """Some files of one directory: its path relative to the root ("" for the root itself) and their names."""

    path: str
    names: tuple[str, ...]


class Seen(NamedTuple):
    """A regular file as it is: its mode (0 when it cannot be read), its owner (then: the errno), its SHA-256."""

    mode: int
    uid: int
    digest: bytes


def cpus() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def look(root: Path, folders: Sequence[Folder]) -> dict[str, Seen]:
    """Return what each file is, by its path relative to `root`.

    Raises:
        HostError: a worker died.

    """
    chunks = [chunk for folder in folders for chunk in _chunks(folder)]
    files = sum(len(chunk.names) for chunk in chunks)
    count = min(cpus(), WORKERS)
    if count == 1 or files < WORTH_A_FORK or len(chunks) > MANY or _threads():
        return _results(chunks, {number: _rows(root, chunk) for number, chunk in enumerate(chunks)})
    return _results(chunks, _forked(root, chunks, count))


def _chunks(folder: Folder) -> Iterator[Folder]:
    for start in range(0, len(folder.names), CHUNK):
        yield Folder(folder.path, folder.names[start : start + CHUNK])


def _threads() -> bool:
    """Return whether there are other threads: then a fork may inherit a lock that nobody will release."""
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def _forked(root: Path, chunks: Sequence[Folder], count: int) -> dict[int, bytes]:
    """Return the rows of each chunk; workers take the next chunk's number from a pipe until it is empty."""
    tickets = _tickets(len(chunks))
    workers = [_worker(root, chunks, tickets) for _ in range(count)]
    os.close(tickets)
    found: dict[int, bytes] = {}
    dead = [pid for pid, output in workers if not _collect(pid, output, chunks, found)]
    if dead or len(found) != len(chunks):
        raise HostError(f"cannot read the files below '{root}': a worker process died")
    return found


def _tickets(count: int) -> int:
    """Return a pipe that holds every chunk's number: a read takes one whole (pipe(7)), and ends when all are taken."""
    tickets, end = os.pipe()
    os.write(end, b"".join(TICKET.pack(number) for number in range(count)))
    os.close(end)
    return tickets


def _worker(root: Path, chunks: Sequence[Folder], tickets: int) -> tuple[int, int]:
    """Start a worker; return its pid and the pipe on which it answers."""
    output, answer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(answer)
        return pid, output
    status = 1
    try:
        _work(root, chunks, tickets, answer)
        status = 0
    finally:
        os._exit(status)  # neither buffers nor exit handlers of the parent are this process's to run


def _work(root: Path, chunks: Sequence[Folder], tickets: int, answer: int) -> None:
    """Answer at the end only: a worker whose pipe is full would wait for its turn to be read."""
    rows = []
    while ticket := os.read(tickets, TICKET.size):
        rows += [ticket, _rows(root, chunks[TICKET.unpack(ticket)[0]])]
    with open(answer, "wb") as out:
        out.writelines(rows)


def _collect(pid: int, output: int, chunks: Sequence[Folder], found: dict[int, bytes]) -> bool:
    """Read a worker's answers until it ends; return whether it ended well."""
    with open(output, "rb") as file:
        while ticket := file.read(TICKET.size):
            number = TICKET.unpack(ticket)[0]
            found[number] = file.read(ROW.size * len(chunks[number].names))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _rows(root: Path, folder: Folder) -> bytes:
    buffer = memoryview(bytearray(BUFFER))
    try:
        directory = os.open(root / folder.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        return ROW.pack(0, error.errno or 0, b"") * len(folder.names)
    try:
        return b"".join([_row(directory, name, buffer) for name in folder.names])
    finally:
        os.close(directory)


def _row(directory: int, name: str, buffer: memoryview) -> bytes:
    try:
        handle = os.open(name, FLAGS, dir_fd=directory)
    except OSError as error:
        return ROW.pack(0, error.errno or 0, b"")
    try:
        status = os.fstat(handle)
        digest = hashlib.sha256()
        while size := os.readv(handle, (buffer,)):
            digest.update(buffer[:size])
        return ROW.pack(status.st_mode, status.st_uid, digest.digest())
    except OSError as error:
        return ROW.pack(0, error.errno or 0, b"")
    finally:
        os.close(handle)


def _results(chunks: Sequence[Folder], rows: dict[int, bytes]) -> dict[str, Seen]:
    found = {}
    for number, chunk in enumerate(chunks):
        prefix = f"{chunk.path}/" if chunk.path else ""
        for name, row in zip(chunk.names, ROW.iter_unpack(rows[number]), strict=True):
            found[prefix + name] = Seen._make(row)
    return found
