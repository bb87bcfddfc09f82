"""A gzip file read as a stream: bounded, hashed as it lies on disk, and never more than a piece of it in memory."""

import hashlib
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from states.errors import Refused

PIECE: Final = 1 << 20  # bytes
GZIP: Final = 31  # zlib's window bits: one gzip member with its checksum


class Broken(Exception):
    """The stream is no archive of ours; the message says where it stops to be one."""


class Inflated:
    """What a gzip file holds; `most` bytes of it are given out."""

    def __init__(self, raw: BinaryIO, most: int) -> None:
        self._raw = raw
        self._left = most
        self._unpacker = zlib.decompressobj(GZIP)
        self._digest = hashlib.sha256()
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Return exactly `size` bytes (at most PIECE); raise `Broken` where there are fewer."""
        while len(self._ready) < size:
            piece = self._inflate()
            if not piece:
                raise Broken("it ends too early")
            self._ready += piece
        data, self._ready = self._ready[:size], self._ready[size:]
        return data

    def rest(self) -> Iterator[bytes]:
        """Yield what is left."""
        yield self._ready
        self._ready = b""
        while piece := self._inflate():
            yield piece
        after = self._unpacker.unused_data or self._raw.read(PIECE)
        if after:
            self._digest.update(after if not self._unpacker.unused_data else b"")
            raise Broken("there are bytes after its end")

    def sha256(self) -> str:
        """Return the digest of the whole file, whatever of it was read."""
        while piece := self._raw.read(PIECE):
            self._digest.update(piece)
        return self._digest.hexdigest()

    def _inflate(self) -> bytes:
        """Return the next bytes, none at the end of the gzip member."""
        while not self._unpacker.eof:
            piece = self._unpacker.unconsumed_tail or self._next()
            try:
                data = self._unpacker.decompress(piece, PIECE)
            except zlib.error as error:
                raise Broken(f"it is not gzip: {error}") from error
            self._left -= len(data)
            if self._left < 0:
                raise Broken("it unpacks to more than an archive of ours can")
            if data:
                return data
        return b""

    def _next(self) -> bytes:
        piece = self._raw.read(PIECE)
        if not piece:
            raise Broken("its gzip data end too early")
        self._digest.update(piece)
        return piece


@contextmanager
def inflated(path: Path, most: int) -> Iterator[Inflated]:
    """Give the stream of a regular file.

    Raises:
        Refused: it cannot be opened, or is no regular file.

    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Refused(f"cannot read '{path}': {error.strerror}", hint="name the archive as it was published") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refused(f"cannot read '{path}': it is no regular file", hint="name the archive as it was published")
    with os.fdopen(handle, "rb") as raw:
        yield Inflated(raw, most)
