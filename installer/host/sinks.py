"""Where log events go: the journal's native socket, a file, a stream. None of them ever raises."""

import os
import socket
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

import attrs

from installer.host import atomic

IDENTIFIER: Final = "pharos-hpc"
LOOKS: Final = 50  # for the log file to be free
LOOK: Final = 0.002  # seconds between them
PRIORITIES: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3}  # syslog(3)


class Sink(Protocol):
    """Takes one event: its text (a JSON object in one line), its level and the journal fields."""

    def write(self, text: str, level: str, fields: Mapping[str, str]) -> bool:
        """Return whether the event was taken; never raise."""


@attrs.frozen
class Journal:
    """The journal's native protocol, one datagram an entry (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/)."""

    path: Path

    def write(self, text: str, level: str, fields: Mapping[str, str]) -> bool:
        """Send one entry."""
        priority = str(PRIORITIES.get(level, 6))
        entry = {"MESSAGE": text, "PRIORITY": priority, "SYSLOG_IDENTIFIER": IDENTIFIER, **fields}
        data = b"".join(_field(name, value) for name, value in entry.items())
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)  # a journal that hangs must not hang a step
                return _send(sender, data, str(self.path))
        except OSError:
            return False


def _field(name: str, value: str) -> bytes:
    data = value.encode("utf-8", "backslashreplace")
    if b"\n" in data:
        return name.encode() + b"\n" + struct.pack("<Q", len(data)) + data + b"\n"
    return name.encode() + b"=" + data + b"\n"


def _send(sender: socket.socket, data: bytes, path: str) -> bool:
    """Send a datagram, or a sealed memory file where it is too large for one."""
    try:
        return sender.sendto(data, path) == len(data)
    except OSError as error:
        if error.errno not in {90, 105}:  # EMSGSIZE, ENOBUFS
            raise
    import fcntl

    handle = os.memfd_create(IDENTIFIER, os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    try:
        os.write(handle, data)
        seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, seals)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", handle))]
        sender.sendmsg([b"\0"], rights, 0, path)  # socket.send_fds takes an address and forgets it
    finally:
        os.close(handle)
    return True


@attrs.frozen
class LogFile:
    """A file of one event a line, 0640."""

    path: Path

    def write(self, text: str, level: str, fields: Mapping[str, str]) -> bool:  # noqa: ARG002  # a Sink's signature
        """Append one line."""
        try:
            atomic.make_directory(self.path.parent)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            handle = os.open(self.path, flags, 0o640)
            try:
                _alone(handle)
                line = (b"\n" if _torn(handle) else b"") + text.encode("utf-8", "backslashreplace") + b"\n"
                return os.write(handle, line) == len(line)
            finally:
                os.close(handle)
        except OSError:
            return False


def _alone(handle: int) -> None:
    """Wait until nobody is in the middle of a line, which would look torn; whoever is stopped there stops nobody."""
    import fcntl

    for _ in range(LOOKS):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOOK)
        except OSError:
            return  # its file system knows no locks
        else:
            return


def _torn(handle: int) -> bool:
    """Return whether a power cut or a full disk left the last line without its end."""
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"
