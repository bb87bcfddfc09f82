"""Modules in the zip: one stored member for each interpreter, found by offset (start.py reads them).

An archive of two thousand members would cost every start the reading of its directory.
"""

import io
import marshal
import zipfile
from collections.abc import Mapping
from typing import Final

STAMP: Final = (1980, 1, 1, 0, 0, 0)
LOCAL_HEADER: Final = 30  # bytes before a member's name, APPNOTE.TXT 4.3.7
PYC_HEADER: Final = 16  # bytes before the code, PEP 552
SOURCE: Final = "source"

Index = dict[str, tuple[int, int, bool]]


def zip_of(library: Mapping[str, bytes], compiled: Mapping[str, bytes], main: bytes, prefix: bytes) -> bytes:
    """Return prefix and zip: modules of `library` (`x.py`) and `compiled` (`cpXY/x.pyc`), licences, `__main__.py`."""
    stores = {SOURCE: {name: data for name, data in library.items() if name.endswith(".py")}}
    for path, data in compiled.items():
        tag, _, name = path.partition("/")
        stores.setdefault(tag, {})[name.removesuffix("c")] = data[PYC_HEADER:]
    buffer = io.BytesIO()
    buffer.write(prefix)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for tag, files in sorted(stores.items()):
            _member(archive, tag, marshal.dumps(_store(archive, tag, files), 2))
        _member(archive, "tags", " ".join(sorted(set(stores) - {SOURCE})).encode())
        for name in sorted(name for name in library if not name.endswith(".py")):
            _member(archive, f"licences/{name}", library[name])
        _member(archive, "__main__.py", main)
    return buffer.getvalue()


def _store(archive: zipfile.ZipFile, tag: str, files: Mapping[str, bytes]) -> Index:
    """Add the modules as one member; return where each lies in the file: (offset, size, is it a package)."""
    member = f"{tag}.modules"
    _member(archive, member, b"".join(files[name] for name in sorted(files)))
    offset = archive.getinfo(member).header_offset + LOCAL_HEADER + len(member)
    index: Index = {}
    for name in sorted(files):
        path = name.removesuffix(".py")
        module = path.removesuffix("/__init__").replace("/", ".")
        index[module] = (offset, len(files[name]), path.endswith("/__init__"))
        offset += len(files[name])
    return index


def _member(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, STAMP)
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    archive.writestr(info, data)
