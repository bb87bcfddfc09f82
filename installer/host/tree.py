"""A tree against its own lists: SHA256SUMS names every file, `links` every link, and nothing else may be there.

The lists find damage, not attackers: whoever can write the tree can write them. Directories are not listed; each must
hold something that is.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from installer.host import atomic, durable, hashing
from installer.host.hashing import Folder, Seen
from states.errors import HostError

SUMS: Final = "SHA256SUMS"
LINKS: Final = "links"
ARROW: Final = " -> "
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@attrs.frozen
class Tree:
    """What stands below a directory, by relative path: directories, regular files, links, and anything else."""

    directories: tuple[str, ...]
    folders: tuple[Folder, ...]
    links: dict[str, str]
    others: tuple[str, ...]


def walk(root: Path) -> Tree:
    """Return what stands below `root`; no link is followed. Raises OSError when a directory cannot be read."""
    directories, folders, links, others = [""], [], {}, []
    for path in directories:  # grows while we walk
        names = []
        with os.scandir(root / path) as entries:
            for entry in entries:
                below = f"{path}/{entry.name}" if path else entry.name
                if entry.is_file(follow_symlinks=False):
                    names.append(entry.name)
                elif entry.is_symlink():
                    links[below] = os.readlink(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    directories.append(below)
                else:
                    others.append(below)
        folders.append(Folder(path, tuple(sorted(names))))
    return Tree(tuple(directories), tuple(folders), links, tuple(others))


def damage(root: Path, *, owned: bool = True) -> tuple[str, ...]:
    """Return one sentence for each thing below `root` that is not as its lists say; none when all is.

    With `owned`, as in an installed release, everything must belong to root, if we are root; an unpacked archive
    belongs to whoever unpacked it. Raises OSError when a directory cannot be read.
    """
    tree = walk(root)
    try:
        sums = _sums((root / SUMS).read_text("utf-8", "surrogateescape"))
        links = _links((root / LINKS).read_text("utf-8", "surrogateescape")) if LINKS in sums else {}
    except (OSError, ValueError) as error:
        return (f"'{SUMS}' cannot be used: {error}",)
    seen = hashing.look(root, tree.folders)
    owner = 0 if owned and os.geteuid() == 0 else None
    found = [*_files(sums, seen), *_linked(links, tree.links), *_strangers(tree, sums, links)]
    return tuple(sorted(found)) + tuple(_open_to_others(root, tree, seen, owner))


def write_sums(root: Path) -> None:
    """Write `links`, then SHA256SUMS as the last thing: before it the whole tree is on disk, after it itself is.

    Raises:
        HostError: a name that the lists cannot hold, a link that leads out of the tree.

    """
    tree = walk(root)
    escapes = [name for name, target in tree.links.items() if _outside(name, target)]
    if escapes:
        raise HostError(f"cannot seal '{root}': link '{escapes[0]}' leads out of it")
    rows = [f"{name}{ARROW}{target}" for name, target in sorted(tree.links.items())]
    atomic.replace(root / LINKS, _text(rows), 0o444)
    seen = hashing.look(root, walk(root).folders)
    rows = [f"{each.digest.hex()}  {name}" for name, each in sorted(seen.items()) if name != SUMS]
    durable.sync_file_system(root)
    atomic.replace(root / SUMS, _text(rows), 0o444)


def complete(root: Path) -> bool:
    """Return whether `root` is a release: SHA256SUMS, written last, is there."""
    return stat.S_ISREG(_mode(root / SUMS))


def _mode(path: Path) -> int:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _text(rows: list[str]) -> bytes:
    """Return the bytes of a list; its format has no room for a line end in a name."""
    if strange := next((row for row in rows if "\n" in row or "\r" in row or "\\" in row), None):
        raise HostError(f"cannot list {strange!r}: a name with a line end or backslash")
    return "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogateescape")


def _sums(text: str) -> dict[str, bytes]:
    """Return the digest of each file of a list in sha256sum(1)'s format, text or binary mode."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        digest, name = line[:64], line[66:].removeprefix("./")
        if line[64:66] not in ("  ", " *") or not name or name in found:
            raise ValueError(f"line {number} is not a digest, two blanks and a new name")
        found[name] = bytes.fromhex(digest)
    return found


def _links(text: str) -> dict[str, str]:
    return {name: target for name, _, target in (line.partition(ARROW) for line in text.splitlines())}


def _files(sums: dict[str, bytes], seen: dict[str, Seen]) -> Iterator[str]:
    for name, digest in sums.items():
        each = seen.get(name)
        if each is None:
            yield f"'{name}' is missing, or is no regular file"
        elif not each.mode:
            yield f"'{name}' cannot be read: {os.strerror(each.uid)}"
        elif each.digest != digest:
            yield f"'{name}' was changed"
    yield from (f"'{name}' was added" for name in seen.keys() - sums.keys() - {SUMS})


def _linked(listed: dict[str, str], found: dict[str, str]) -> Iterator[str]:
    for name, target in found.items():
        if name not in listed:
            yield f"link '{name}' was added; it leads to '{target}'"
        elif listed[name] != target:
            yield f"link '{name}' was changed; it leads to '{target}' instead of '{listed[name]}'"
        if _outside(name, target):
            yield f"link '{name}' leads out of the tree, to '{target}'"
    yield from (f"link '{name}' is missing" for name in listed.keys() - found.keys())


def _outside(name: str, target: str) -> bool:
    """Return whether a link leads out of the tree; that of a virtual environment to its interpreter must (venv)."""
    if os.path.isabs(target):
        directory, _, base = name.rpartition("/")
        return not (directory.endswith("/bin") and base.startswith("python"))
    return os.path.normpath(os.path.join(os.path.dirname(name), target)).split("/")[0] == ".."


def _strangers(tree: Tree, sums: dict[str, bytes], links: dict[str, str]) -> Iterator[str]:
    """Yield what is neither file nor link, and directories that hold nothing listed."""
    yield from (f"'{name}' is neither a regular file, a link nor a directory" for name in tree.others)
    known = {""}
    for name in (*sums, *links):
        while (name := name.rpartition("/")[0]) not in known:
            known.add(name)
    yield from (f"directory '{name}' was added" for name in tree.directories if name not in known)


def _open_to_others(root: Path, tree: Tree, seen: dict[str, Seen], owner: int | None) -> Iterator[str]:
    """Yield what others than the owner may write, and what belongs to somebody else than `owner`."""
    for name in tree.directories:
        status = os.lstat(root / name)
        yield from _rights(name or ".", status.st_mode, status.st_uid, owner)
    for name, (mode, uid, _) in seen.items():
        if mode and (mode & OTHERS_WRITE or uid != owner):
            yield from _rights(name, mode, uid, owner)


def _rights(name: str, mode: int, uid: int, owner: int | None) -> Iterator[str]:
    if mode & OTHERS_WRITE:
        yield f"'{name}' may be written by others than its owner (mode {stat.S_IMODE(mode):04o})"
    if owner is not None and uid != owner:
        yield f"'{name}' belongs to uid {uid} instead of root"
