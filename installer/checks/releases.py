"""Area `releases`: every installed release, each file of it, and the links that lead to them."""

from collections.abc import Iterator, Mapping
from typing import Final

from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.checks.subject import Subject
from installer.host import shelf, tree
from installer.host.files import COMPONENTS, LINKS, RealFiles
from states.errors import PharosError
from states.plan import Record

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
USABLE: Final = Rule(
    "PH-RELEASE-05",
    "nothing stands in the place of our links",
    "symbolic links, or nothing: current, previous, site-agent and ssh-access",
    "move it away",
)
OTHERS: Final = Rule(
    "PH-RELEASE-06",
    "the other installed releases are whole",
    WHOLE.required,
    "'prune' it, and install it again where it is needed",
    WARNING,
)
LED: Final = Rule(
    "PH-RELEASE-07",
    "current and previous lead to installed releases",
    "links to releases/ID",
    "pharos-hpc recover",
    WARNING,
)
RULES: Final = (WHOLE, BEFORE, RECORD, FOREIGN, USABLE, OTHERS, LED)
SHOWN: Final = 20  # faults of one release


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is damaged, each release once; without a record and an installed release there is nothing to be."""
    yield from (FOREIGN.broken(f"'{path}' is no release") for path in shelf.foreign(subject.paths))
    yield from _links(subject)
    try:
        record = RealFiles(subject.paths).record()
    except PharosError as error:
        yield RECORD.broken(error.message, error.hint)
        record = None
    for release, rule in _judged(subject, record).items():
        yield from _damage(subject, release, rule)


def _judged(subject: Subject, record: Record | None) -> Mapping[str, Rule]:
    """Return what is looked at, and by which rule: of several the gravest, which comes last."""
    shelved = [each.id for each in shelf.shelved(subject.paths) if each.complete]
    rules = dict.fromkeys(shelved, OTHERS)
    if record and record.previous:
        rules[record.previous] = BEFORE
    needed = [record.release] if record else []
    if subject.archive and subject.archive.release in shelved:
        needed.append(subject.archive.release)
    return {**rules, **dict.fromkeys(needed, WHOLE)}


def _links(subject: Subject) -> Iterator[Finding]:
    """A link that leads elsewhere is replaced by an activation; what is no link is not ours, and never touched."""
    files = RealFiles(subject.paths)
    for name in (*LINKS, *COMPONENTS):
        try:
            release = files.link(name)
        except PharosError as error:
            yield USABLE.broken(error.message, error.hint)
            continue
        if name in LINKS and release is not None and not _installed(subject, release):
            yield LED.broken(f"'{subject.paths.opt / name}' leads to no installed release: '{release}'")


def _installed(subject: Subject, release: str) -> bool:
    return "/" not in release and tree.complete(subject.paths.release(release))


def _damage(subject: Subject, release: str, rule: Rule) -> Iterator[Finding]:
    path = subject.paths.release(release)
    if not tree.complete(path):
        yield rule.broken(f"release '{release}' is not installed, or not complete")
        return
    faults = RealFiles(subject.paths).damage(release)
    yield from (rule.broken(f"release '{release}': {fault}") for fault in faults[:SHOWN])
    if len(faults) > SHOWN:
        yield rule.broken(f"release '{release}': {len(faults) - SHOWN} more")
