"""The installed releases, and which of them may go."""

from collections.abc import Collection, Iterable

from installer.host import shelf
from installer.host.files import RealFiles
from installer.host.shelf import Shelved
from installer.paths import Paths


def installed(paths: Paths) -> tuple[Shelved, ...]:
    """Return the complete releases, in the order in which they were installed."""
    return tuple(each for each in shelf.shelved(paths) if each.complete)


def in_use(paths: Paths) -> frozenset[str]:
    """Return the releases that are never removed: those of both links, and those that the record names."""
    files = RealFiles(paths)
    record = files.record()
    recorded = (record.release, record.previous) if record else ()
    names = (files.link("current"), files.link("previous"), *recorded)
    return frozenset(name for name in names if name is not None)


def superfluous(releases: Iterable[Shelved], keep: int, used: Collection[str]) -> tuple[str, ...]:
    """Return the complete releases that may go, oldest first: not in use, nor among the `keep` newest others."""
    spare = [each.id for each in releases if each.complete and each.id not in used]
    return tuple(spare[: max(0, len(spare) - keep)])


def prunable(paths: Paths, keep: int, also_used: Collection[str] = ()) -> tuple[str, ...]:
    """Return what `prune --keep` would remove; `also_used` are releases that something still runs from."""
    return superfluous(shelf.shelved(paths), keep, {*in_use(paths), *also_used})


def prune(paths: Paths, releases: Iterable[str]) -> tuple[str, ...]:
    """Remove these releases, each whole, and what interrupted runs left, whose names are returned.

    Raises:
        HostError: the host refuses.

    """
    for release in releases:
        shelf.remove(paths, release)
    return shelf.clear(paths, in_use(paths))
