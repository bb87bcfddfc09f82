"""A release archive read without unpacking it: every member's name, kind, mode and digest; nothing is written.

Our archives are plain USTAR: files and directories. Headers that other formats add (long names, links, sparse files)
are refused before they are looked into.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from installer.host.inflate import PIECE, Broken, Inflated, inflated
from installer.host.tarheader import BLOCK, Header, header

MEMBERS: Final = 20_000  # a real archive has about 100
MOST: Final = 512 << 20  # bytes, unpacked; a real archive has a tenth of it
KEPT: Final = 1 << 20  # bytes of a file whose content is wanted
WANTED: Final = ("SHA256SUMS", "manifest")


@attrs.frozen
class Member:
    """One entry: `mode` as in chmod(2), `sha256` of a file in hexadecimal, `data` of the few that are WANTED."""

    name: str
    directory: bool
    mode: int
    sha256: str = ""
    data: bytes | None = None


@attrs.frozen
class Tarball:
    """What was read: the digest of the file itself, its members in order, and where it stops to be an archive."""

    sha256: str
    members: tuple[Member, ...]
    broken: str = ""


def read_tarball(path: Path) -> Tarball:
    """Return what lies in a `.tar.gz`; raise `Refused` when the file cannot be opened."""
    members: list[Member] = []
    broken = ""
    with inflated(path, MOST) as stream:
        try:
            for member in _members(stream):
                members.append(member)
                if len(members) > MEMBERS:
                    raise Broken(f"it has more than {MEMBERS} members")  # noqa: TRY301  # as every other fault
        except Broken as error:
            broken = str(error)
        return Tarball(stream.sha256(), tuple(members), broken)


def _members(stream: Inflated) -> Iterator[Member]:
    while (block := stream.read(BLOCK)).strip(b"\0"):
        yield _member(header(block), stream)
    if any(piece.strip(b"\0") for piece in stream.rest()):
        raise Broken("there are bytes after its end")


def _member(info: Header, stream: Inflated) -> Member:
    name = info.name
    if info.directory:
        if info.size:
            raise Broken(f"directory {name!a} has a size")
        return Member(name, directory=True, mode=info.mode)
    wanted = name.rpartition("/")[2] in WANTED and info.size <= KEPT
    digest, kept, left = hashlib.sha256(), bytearray(), info.size
    while left:
        piece = stream.read(min(left, PIECE))
        left -= len(piece)
        digest.update(piece)
        if wanted:
            kept += piece
    stream.read(-info.size % BLOCK)
    return Member(name, False, info.mode, digest.hexdigest(), bytes(kept) if wanted else None)
