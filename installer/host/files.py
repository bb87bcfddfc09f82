"""The files port on a real file system: links, the record, and the installed releases."""

import errno
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TypeVar

import attrs

from installer import record_file, release_file
from installer.host import atomic
from installer.paths import RELEASES, Paths
from states.errors import HostError, Refused
from states.plan import Record, Release
from states.unit import UNIT_FILES

T = TypeVar("T")
COMPONENTS = ("site-agent", "ssh-access")
LINKS = ("current", "previous")


@attrs.frozen
class RealFiles:
    """The files below `paths`."""

    paths: Paths

    def link(self, name: str) -> str | None:
        """Return the release id that the link names; a link that leads elsewhere is reported as it is."""
        target = _effect(self.paths.opt / name, lambda: _readlink(self.paths.opt / name))
        if target is None or "/" in target:
            return target.removeprefix(f"{RELEASES}/") if target else None
        return f"./{target}"  # a name of its own directory: never that of a release

    def point(self, name: str, release: str | None) -> None:
        """Replace the link by rename, or remove it."""
        path = self.paths.opt / name
        if release is None:
            _effect(path, lambda: atomic.remove(path))
        elif self.link(name) != release:
            _effect(path, lambda: atomic.link(path, f"{RELEASES}/{release}"))

    def exposed(self) -> Collection[str]:
        """Return the components whose stable link leads through `current`."""
        return frozenset(
            name
            for name in COMPONENTS
            if _effect(self.paths.opt / name, lambda n=name: self._stable(n))  # type: ignore[misc]
        )

    def expose(self, component: str) -> None:
        """Make the stable link; a directory of that name is not ours, and is not touched."""
        path = self.paths.opt / component
        if not self._stable(component):
            _effect(path, lambda: atomic.link(path, f"current/{component}"))

    def hide(self, component: str) -> None:
        """Remove the stable link."""
        _effect(self.paths.opt / component, lambda: atomic.remove(self.paths.opt / component))

    def record(self) -> Record | None:
        """Return the record, or None when there is none."""
        path = self.paths.record
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _cannot("read", path, error, record_file.HINT) from error
        return record_file.parse(data, str(path))

    def commit(self, record: Record | None) -> None:
        """Replace the record by rename: the commit point."""
        path = self.paths.record
        if record is None:
            _effect(path, lambda: atomic.remove(path))
            return
        _effect(path.parent, lambda: atomic.make_directory(path.parent))
        _effect(path, lambda: atomic.replace(path, record_file.render(record), 0o644))

    def release(self, release: str) -> Release:
        """Return an installed release; without its SHA256SUMS, which is written last, it is none."""
        directory = self.paths.release(release)
        if not _effect(directory, lambda: os.path.isfile(directory / "SHA256SUMS")):
            raise Refused(
                f"release '{release}' is not installed below '{self.paths.releases}'", hint="pharos-hpc install"
            )
        path = directory / release_file.NAME
        try:
            found = release_file.parse(path.read_bytes(), str(path), _unit_files(directory / "units"))
        except OSError as error:
            raise Refused(f"cannot read '{path}': {error.strerror}", hint="install the release again") from error
        if found.id != release:
            raise Refused(f"'{directory}' holds release '{found.id}'", hint="install the release again")
        return found

    def damage(self, release: str) -> tuple[str, ...]:
        """Return what of the release is not as it was installed."""
        from installer.host.tree import damage

        return _effect(self.paths.release(release), lambda: damage(self.paths.release(release)))

    def leftovers(self) -> tuple[str, ...]:
        """Return the temporary files of ours; each has one fixed name."""
        return tuple(str(path) for path in self._temporary() if os.path.lexists(path))

    def sweep(self) -> None:
        """Remove the temporary files of ours."""
        for path in self.leftovers():
            _effect(Path(path), lambda path=path: atomic.remove(Path(path)))  # type: ignore[misc]

    def _temporary(self) -> Iterator[Path]:
        yield from (atomic.temporary(self.paths.opt / name) for name in (*LINKS, *COMPONENTS))
        yield from (atomic.temporary(self.paths.units / name) for name in UNIT_FILES)
        yield atomic.temporary(self.paths.record)

    def _stable(self, component: str) -> bool:
        return _readlink(self.paths.opt / component) == f"current/{component}"


def _unit_files(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in UNIT_FILES if (directory / name).is_file()}


def _readlink(path: Path) -> str | None:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise HostError(f"cannot use '{path}': it is not a symbolic link", hint="move it away") from error
        raise


def _effect(path: Path, action: Callable[[], T]) -> T:
    try:
        return action()
    except OSError as error:
        raise _cannot("change", path, error) from error


def _cannot(verb: str, path: Path, error: OSError, hint: str = "") -> HostError:
    facts = {"path": str(path), "errno": errno.errorcode.get(error.errno or 0, str(error.errno))}
    return HostError(f"cannot {verb} '{path}': {error.strerror}", hint=hint, facts=facts)
