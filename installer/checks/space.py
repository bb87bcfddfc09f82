"""Area `space`: room for the release."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.host import tree
from installer.stageable import room_faults

ROOM: Final = Rule("PH-SPACE-01", "the release fits", "bytes and inodes with a reserve", "make room, or prune")
RULES: Final = (ROOM,)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is missing of room, where the release is not installed yet."""
    if subject.archive and not tree.complete(subject.paths.release(subject.archive.release)):
        yield from (ROOM.broken(fault) for fault in room_faults(subject.paths, subject.archive))
