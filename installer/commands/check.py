"""`check`: everything that would make install, configure or activate fail, in one run; changes nothing at all."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Final

import attrs

from installer import exits
from installer.answer import say
from installer.checks.rule import ERROR, FACT, Finding
from installer.checks.subject import subject
from installer.checks.table import AREAS
from installer.environment import Caller
from states.errors import Refused

LONGEST: Final = frozenset({"releases", "archive"})  # every file of them is read: begun before all else


def main(args: Namespace, caller: Caller) -> int:
    """Print every finding of the areas asked for; exit 1 when one is an error."""
    if args.archive or args.bundle or args.expect_sha256:
        return _archive(args, caller)
    names = args.areas or list(AREAS)
    if unknown := [name for name in names if name not in AREAS]:
        raise Refused(f"cannot check '{unknown[0]}'", hint=f"areas: {' '.join(AREAS)}")
    found = _findings(names, args, caller)
    errors = [finding for finding in found if finding.rule.severity == ERROR]
    say(args, _answer(names, found), _lines(names, found))
    return exits.REFUSED if errors else exits.DONE


def _archive(args: Namespace, caller: Caller) -> int:
    """Judge an archive that is not unpacked yet; what that needs is imported for it alone."""
    from installer.checks.package import AREA, judged
    from installer.origin import candidate

    about = candidate(args, caller)
    assert about is not None  # as one was named, or this was refused
    signature, _, found = judged(about)
    say(args, {**_answer([AREA], found), "signature": attrs.asdict(signature)}, _lines([AREA], found))
    return exits.REFUSED if any(finding.rule.severity == ERROR for finding in found) else exits.DONE


def _findings(names: list[str], args: Namespace, caller: Caller) -> list[Finding]:
    """What takes a while is begun first in every area; each finding is told once."""
    about = subject(caller, args.program, args.tokens, args.grants)
    begun = {name: AREAS[name].started(about) for name in sorted(names, key=lambda name: name not in LONGEST)}
    found = [finding for name in names for finding in AREAS[name].found(about, begun[name])]
    return list({(finding.code, finding.found): finding for finding in found}.values())


def _answer(names: list[str], found: list[Finding]) -> dict[str, object]:
    rows = [
        {
            "code": finding.code,
            "severity": finding.rule.severity,
            "found": finding.found,
            "required": finding.rule.required,
            "remedy": finding.remedy,
        }
        for finding in found
    ]
    return {"areas": names, "findings": rows, "ok": not any(row["severity"] == ERROR for row in rows)}


def _lines(names: list[str], found: list[Finding]) -> Iterator[str]:
    for finding in found:
        rule = finding.rule
        yield f"{rule.severity:<8} {finding.code:<14} {finding.found}"
        if rule.severity != FACT:
            yield f"{'':<8} required: {rule.required}; remedy: {finding.remedy}"
    errors = sum(finding.rule.severity == ERROR for finding in found)
    yield f"{len(names)} areas, {errors} errors, {len(found) - errors} other findings; nothing was changed"
