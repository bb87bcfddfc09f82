"""The files of `configure`, all or none, also when killed: two directory names in /etc/pharos-hpc say where it stood.

`.staged` holds the new files while they are written, with their final owner and mode. One rename makes it `.committed`:
the commit point. Then each file is renamed into its place. So a later process needs no journal: `.staged` is removed,
as nothing has happened; what is left in `.committed` is put into place, as it was decided.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from installer import jsontext
from installer.host import atomic, handover
from installer.paths import Paths
from states.errors import HostError

STAGED: Final = ".staged"
COMMITTED: Final = ".committed"
CONFIGURED: Final = "configured"


@attrs.frozen
class Staged:
    """A file to be: its path below /etc/pharos-hpc, bytes (never shown), mode (octal) and numeric owner."""

    path: Path
    data: bytes = attrs.field(repr=False)
    mode: int
    uid: int
    gid: int


def commit(paths: Paths, files: Sequence[Staged]) -> None:
    """Put the files into place, all or none; the one named `configured` comes last.

    Raises:
        HostError: before the commit point, and then nothing has changed; or after it, and `finish` goes on.

    """
    finish(paths)
    with _told("write the configuration"):
        _decide(paths, files)
        atomic.sync_directory(paths.etc)
        _place(paths)


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        path = str(error.filename2 or error.filename)  # of a rename, the place that was to be taken
        hint = "mend what it names, then run 'pharos-hpc recover'"
        raise HostError(f"cannot {what}: '{path}': {error.strerror}", hint=hint, facts={"path": path}) from error


def _decide(paths: Paths, files: Sequence[Staged]) -> None:
    """Stage the files and commit to them; what a failure (a full disk) leaves of them is removed at once."""
    try:
        _stage(paths, files)
        os.rename(paths.etc / STAGED, paths.etc / COMMITTED)
    except BaseException:
        shutil.rmtree(paths.etc / STAGED, ignore_errors=True)
        raise


def finish(paths: Paths) -> str:
    """Finish or forget what a killed `configure` left; return what was done, empty when there was nothing.

    Raises:
        HostError: what was decided cannot be put into place, or what was not cannot be removed.

    """
    with _told("finish what a stopped 'configure' left"):
        told = "a private copy of secrets is removed" if handover.clear(paths) else ""
        if _is_there(paths.etc / STAGED):
            atomic.erase(paths.etc / STAGED)
            told = "it had changed nothing; its files are removed"
        if _is_there(paths.etc / COMMITTED):
            _place(paths)
            told = "it was decided; its files are in place now"
        return told


def pending(paths: Paths) -> bool:
    """Return whether a `configure` was stopped in the middle."""
    return _is_there(paths.etc / STAGED) or _is_there(paths.etc / COMMITTED)


def obstacle(file: Path) -> str:
    """Return why a file cannot be put there, "" when it can: something is in its place that no rename replaces."""
    if file.is_dir() and not file.is_symlink():
        return f"'{file}' is a directory"
    if os.path.lexists(file.parent) and not file.parent.is_dir():
        return f"'{file.parent}' is no directory"
    return ""


def configured(site_env: bytes, files: Iterable[Staged], paths: Paths) -> bytes:
    """Return the marker that says what was configured: SHA-256 of site.env and of each file that holds no secret."""
    public = {_name(paths, file.path): _digest(file.data) for file in files if file.mode & 0o004}
    return (json.dumps({"site.env": _digest(site_env), "files": public}, indent=2, sort_keys=True) + "\n").encode()


def is_configured(paths: Paths) -> tuple[str, ...]:
    """Return what speaks against an activation: never configured, another site.env since, or a file changed by hand."""
    try:
        marker = jsontext.loads((paths.etc / CONFIGURED).read_bytes())
        files = dict(marker["files"])
    except FileNotFoundError:
        return ("'configure' has not run",)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return (f"'{paths.etc / CONFIGURED}' cannot be read: {error}",)
    if _digest_of(paths.site_env) != marker.get("site.env"):
        return (f"'{paths.site_env}' was changed after 'configure' ran",)
    changed = [name for name, digest in files.items() if _digest_of(paths.etc / name) != digest]
    return tuple(f"'{paths.etc / name}' is not what 'configure' wrote" for name in changed)


def _stage(paths: Paths, files: Sequence[Staged]) -> None:
    staged = paths.etc / STAGED
    os.mkdir(staged, 0o700)
    for file in files:
        target = staged / _name(paths, file.path)
        atomic.make_directory(target.parent, 0o700)
        _write(target, file)
    atomic.sync_directory(staged)
    for directory in {file.path.parent for file in files}:
        atomic.make_directory(directory, 0o700 if directory == paths.secrets else 0o755)
    atomic.sync_directory(paths.etc)


def _write(target: Path, file: Staged) -> None:
    """Create it closed, give it its owner, then its mode: there is no moment in which somebody else can read it."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if os.geteuid() == 0:
            os.fchown(handle, file.uid, file.gid)
        os.fchmod(handle, file.mode)
        view = memoryview(file.data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    atomic.sync_directory(target.parent)


def _place(paths: Paths) -> None:
    committed = paths.etc / COMMITTED
    found = [] if committed.is_symlink() else [path for path in sorted(committed.rglob("*")) if not path.is_dir()]
    for path in sorted(found, key=lambda path: path.name == CONFIGURED):
        target = paths.etc / path.relative_to(committed)
        os.rename(path, target)
        atomic.sync_directory(target.parent)
    atomic.erase(committed)


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _name(paths: Paths, path: Path) -> str:
    return str(path.relative_to(paths.etc))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest_of(path: Path) -> str | None:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return None
