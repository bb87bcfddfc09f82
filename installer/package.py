"""What can be said of a release archive before it is unpacked: whether it is ours, whole, and harmless."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from installer.host.tarball import Member, Tarball, read_tarball
from installer.manifest import Manifest, read_manifest
from states.errors import Refused

UNREADABLE: Final = "unreadable"
NAMES: Final = "names"
TWICE: Final = "twice"
MODES: Final = "modes"
SUMS: Final = "sums"
MANIFEST: Final = "manifest"
KINDS: Final = (UNREADABLE, NAMES, TWICE, MODES, SUMS, MANIFEST)
LINE: Final = 66  # characters of a line of SHA256SUMS before the name: 64 of the digest, two blanks
FILE_MODES: Final = frozenset({0o644, 0o755})
DIRECTORY_MODE: Final = 0o755


@attrs.frozen
class Package:
    """An archive's digest, its release and manifest (None where it has none that can be read), and its faults."""

    sha256: str
    manifest: Manifest | None
    sums: bytes
    faults: tuple[tuple[str, str], ...]


def read_package(path: Path) -> Package:
    """Return what is in an archive; `faults` are pairs of a kind (KINDS) and a sentence.

    Raises:
        Refused: the file cannot be opened.

    """
    tarball = read_tarball(path)
    if tarball.broken:
        return Package(tarball.sha256, None, b"", ((UNREADABLE, tarball.broken),))
    top = tarball.members[0].name if tarball.members else ""
    files = {member.name.removeprefix(f"{top}/"): member for member in tarball.members if not member.directory}
    manifest, wrong = _manifest(files.get("manifest"), top)
    faults = (*_names(tarball, top), *_twice(tarball), *_modes(tarball), *_sums(files), *wrong)
    sums = files.get("SHA256SUMS")
    return Package(tarball.sha256, manifest, (sums.data or b"") if sums else b"", faults)


def _names(tarball: Tarball, top: str) -> Iterator[tuple[str, str]]:
    """Nothing leaves the archive's one directory; names are printable ASCII, so that what is shown is what is there."""
    if "/" in top or not (tarball.members and tarball.members[0].directory):
        yield NAMES, "it does not begin with its one directory"
    for member in tarball.members:
        parts = member.name.split("/")
        if parts[0] != top or not all(map(_plain, parts)):
            yield NAMES, f"{member.name!a} is not a plain path below '{top}'"


def _plain(part: str) -> bool:
    return part not in {"", ".", ".."} and part.isascii() and part.isprintable() and "\\" not in part


def _twice(tarball: Tarball) -> Iterator[tuple[str, str]]:
    """Names that differ by case alone are one file on some file systems."""
    for name, count in Counter(member.name.lower() for member in tarball.members).items():
        if count > 1:
            yield TWICE, f"{name!a} is there {count} times, by its name or but for its case"


def _modes(tarball: Tarball) -> Iterator[tuple[str, str]]:
    for member in tarball.members:
        good = member.mode == DIRECTORY_MODE if member.directory else member.mode in FILE_MODES
        if not good:
            yield MODES, f"{member.name!a} has mode {member.mode:04o}"


def _sums(files: Mapping[str, Member]) -> Iterator[tuple[str, str]]:
    sums = files.get("SHA256SUMS")
    if sums is None or sums.data is None:
        yield SUMS, "it has no SHA256SUMS"
        return
    lines = sums.data.decode("utf-8", "replace").splitlines()
    listed = {line[LINE:]: line[: LINE - 2] for line in lines}
    found = {name: member.sha256 for name, member in files.items() if name != "SHA256SUMS"}
    for name in sorted({*listed, *found}):
        if name not in found:
            yield SUMS, f"{name!a} is listed in SHA256SUMS and missing"
        elif name not in listed:
            yield SUMS, f"{name!a} is not listed in SHA256SUMS"
        elif listed[name] != found[name]:
            yield SUMS, f"{name!a} is not as SHA256SUMS says"


def _manifest(member: Member | None, top: str) -> tuple[Manifest | None, tuple[tuple[str, str], ...]]:
    if member is None or member.data is None:
        return None, ((MANIFEST, "it has no manifest"),)
    try:
        manifest = read_manifest(member.data, "manifest")
    except Refused as error:
        return None, ((MANIFEST, error.message),)
    if top != f"pharos-hpc-{manifest.release}":
        return manifest, ((MANIFEST, f"its directory '{top}' is not that of its release '{manifest.release}'"),)
    return manifest, ()
