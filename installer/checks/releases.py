"""Area `releases`: the installed releases that an activation or a rollback would need, each file of them."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.checks.subject import Subject
from installer.host import shelf, tree
from installer.host.files import RealFiles
from states.errors import PharosError

AGAIN: Final = "activate another release, 'prune' this one, and install it again; or --no-way-back"
WHOLE: Final = Rule(
    "PH-RELEASE-01",
    "the active release and this archive's are whole",
    "every file and link as its SHA256SUMS and links say",
    AGAIN,
)
BEFORE: Final = Rule(
    "PH-RELEASE-02", "the release before is whole, as 'rollback' needs it", WHOLE.required, AGAIN, WARNING
)
RECORD: Final = Rule("PH-RELEASE-03", "the record can be read", "what 'activate' wrote", "restore it from a backup")
FOREIGN: Final = Rule("PH-RELEASE-04", "what else lies among the releases", "-", "-", FACT)
RULES: Final = (WHOLE, BEFORE, RECORD, FOREIGN)
SHOWN: Final = 20  # faults of one release


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is damaged; without a record and an installed release there is nothing to be."""
    yield from (FOREIGN.broken(f"'{path}' is no release") for path in shelf.foreign(subject.paths))
    try:
        record = RealFiles(subject.paths).record()
    except PharosError as error:
        yield RECORD.broken(error.message, error.hint)
        record = None
    needed = [record.release] if record else []
    if subject.archive and tree.complete(subject.paths.release(subject.archive.release)):
        needed.append(subject.archive.release)
    yield from (finding for name in dict.fromkeys(needed) for finding in _damage(subject, name, WHOLE))
    if record and record.previous and record.previous not in needed:
        yield from _damage(subject, record.previous, BEFORE)


def _damage(subject: Subject, release: str, rule: Rule) -> Iterator[Finding]:
    path = subject.paths.release(release)
    if not tree.complete(path):
        yield rule.broken(f"release '{release}' is not installed, or not complete")
        return
    faults = RealFiles(subject.paths).damage(release)
    yield from (rule.broken(f"release '{release}': {fault}") for fault in faults[:SHOWN])
    if len(faults) > SHOWN:
        yield rule.broken(f"release '{release}': {len(faults) - SHOWN} more")
