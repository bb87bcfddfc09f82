"""Area `archive`: the unpacked archive that this program lies in."""

from collections.abc import Iterator
from typing import Final

from installer.archive import is_staged
from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.stageable import place_faults
from states.errors import Refused

WHOLE: Final = Rule(
    "PH-ARCHIVE-01", "the archive is whole", "every file as SHA256SUMS says", "unpack the archive again"
)
MANIFEST: Final = Rule(
    "PH-ARCHIVE-02", "the archive has a valid manifest", "a manifest of format 1", "unpack the archive again"
)
FREE: Final = Rule(
    "PH-ARCHIVE-03", "the release id is free", "the same inputs, or another id", "restore what differs in site.env"
)
PLACE: Final = Rule(
    "PH-ARCHIVE-04", "nothing stands in the release's place", "a whole release, or nothing", "as the finding says"
)
RULES: Final = (WHOLE, MANIFEST, FREE, PLACE)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is wrong with the archive."""
    if subject.archive is None:
        yield MANIFEST.broken(subject.archive_error.message if subject.archive_error else "there is none")
        return
    yield from (WHOLE.broken(fault) for fault in subject.archive.damage())
    yield from (PLACE.broken(fault) for fault in place_faults(subject.paths, subject.archive))
    try:
        is_staged(subject.paths, subject.archive, subject.site_env)
    except Refused as error:
        yield FREE.broken(error.message, error.hint)
