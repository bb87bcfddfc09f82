"""Archives whose bytes depend on nothing but the files in them: tar and gzip, with every header spelled out.

Nothing is compressed: what deflate makes of the same bytes is another thing in each zlib, and wheels are compressed.
"""

import io
import struct
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from states.errors import Refused

GZIP_HEADER: Final = b"\x1f\x8b\x08\x00" + struct.pack("<L", 0) + b"\x00\xff"  # RFC 1952: no name, no time, no system
BLOCK: Final = 0xFFFF  # bytes of a stored block, at most


def mode_of(data: bytes) -> int:
    """Return a file's mode: what starts with `#!` is a program. A working tree's modes depend on somebody's umask."""
    return 0o755 if data.startswith(b"#!") else 0o644


def tar_bytes(files: Mapping[str, bytes], top: str, epoch: int) -> bytes:
    """Return a USTAR archive of the files below the directory `top`: sorted, of root, dated `epoch` (seconds)."""
    buffer = io.BytesIO()
    entries: dict[str, bytes | None] = dict.fromkeys(_directories(files, top))
    entries.update({f"{top}/{name}": data for name, data in files.items()})
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(entries):
            data = entries[name]
            archive.addfile(_entry(name, data, epoch), io.BytesIO(data or b""))
    return buffer.getvalue()


def gzip_bytes(data: bytes) -> bytes:
    """Return the data as one gzip member with a fixed header, stored (RFC 1952; RFC 1951, section 3.2.4)."""
    return GZIP_HEADER + b"".join(_blocks(data)) + struct.pack("<LL", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def _blocks(data: bytes) -> Iterator[bytes]:
    for start in range(0, max(len(data), 1), BLOCK):
        piece = data[start : start + BLOCK]
        last = start + BLOCK >= len(data)
        yield struct.pack("<BHH", last, len(piece), len(piece) ^ 0xFFFF)
        yield piece


def _directories(files: Mapping[str, bytes], top: str) -> set[str]:
    names = {top}
    for name in files:
        parts = name.split("/")
        if "" in parts or "." in parts or ".." in parts:
            raise Refused(f"cannot pack '{name}': it is not a plain relative path")
        names.update("/".join([top, *parts[:count]]) for count in range(1, len(parts)))
    return names


def _entry(name: str, data: bytes | None, epoch: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.mtime = epoch
    if data is None:
        info.type, info.mode = tarfile.DIRTYPE, 0o755
    else:
        info.size, info.mode = len(data), mode_of(data)
    return info
