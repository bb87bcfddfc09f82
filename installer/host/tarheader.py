"""One header of a plain USTAR archive (pax(1), "ustar Interchange Format"), read in the one spelling that we write.

tar programs differ in what they make of odd numbers, bytes after a name's end, or owners by name; so those are refused.
"""

import re
import struct
from typing import Final

import attrs

from installer.host.inflate import Broken

BLOCK: Final = 512
# in the order in which `header` names them; the sixth is the time, the seventh the checksum
FIELDS: Final = struct.Struct("100s8s8s8s12s12s8sc100s8s32s32s8s8s155s12x")
CHECKSUM: Final = slice(148, 156)
MAGIC: Final = b"ustar\x0000"
FILE: Final = b"0"
DIRECTORY: Final = b"5"
NO_DEVICE: Final = (b"", b"0000000")


@attrs.frozen
class Header:
    """What a header says: `mode` as in chmod(2), `size` in bytes."""

    name: str
    directory: bool
    mode: int
    size: int


def header(block: bytes) -> Header:
    """Return what a block of 512 bytes says; raise `Broken` when it is none of our headers."""
    name, mode, uid, gid, size, mtime, _, kind, link, magic, user, group, major, minor, prefix = FIELDS.unpack(block)
    if magic != MAGIC:
        raise Broken("it is not plain USTAR")
    path = _path(prefix, name)
    if kind not in (FILE, DIRECTORY) or _text(link):
        raise Broken(f"{path!a} is neither a file nor a directory")
    _sum(block)
    number = _number(mtime), _number(uid), _number(gid)
    if any(number[1:]) or _text(user) or _text(group):
        raise Broken(f"{path!a} is not root's")
    if {_text(major), _text(minor)} - set(NO_DEVICE) or block[500:].strip(b"\0"):
        raise Broken(f"{path!a} has a header with more in it than we write")
    if kind == DIRECTORY:
        path = path.removesuffix("/")
    return Header(path, kind == DIRECTORY, _number(mode), _number(size))


def _path(prefix: bytes, name: bytes) -> str:
    parts = (_text(prefix), _text(name))
    return b"/".join(part for part in parts if part).decode("utf-8", "surrogateescape")


def _text(field: bytes) -> bytes:
    """Return what stands before the first NUL; nothing may stand after it."""
    text, _, rest = field.partition(b"\0")
    if rest.strip(b"\0"):
        raise Broken("it has a header with bytes behind the end of a text")
    return text


def _number(field: bytes) -> int:
    """Return an octal number of full width, ended by one NUL."""
    if re.fullmatch(rb"[0-7]+\0", field) is None:
        raise Broken("it has a header with a number of another spelling")
    return int(field[:-1], 8)


def _sum(block: bytes) -> None:
    field = block[CHECKSUM]
    total = sum(block) - sum(field) + len(field) * ord(" ")
    if field != b"%06o\0 " % total:
        raise Broken("it has a header with a wrong checksum")
