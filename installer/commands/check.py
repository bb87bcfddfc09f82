"""`check`: everything that would make install, configure or activate fail, in one run; changes nothing at all."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from installer import exits
from installer.answer import say
from installer.checks import local, remote
from installer.checks.rules import ERROR, FACT, Finding
from installer.checks.subject import Subject, subject
from installer.environment import Caller
from states.errors import PharosError, Refused

Area = Callable[[Subject], Iterable[Finding]]

AREAS: Final[Mapping[str, Area]] = {
    "archive": local.archive,
    "site.env": local.site_env,
    "inputs": remote.inputs,
    "python": local.python,
    "accounts": local.accounts,
    "host": local.host,
    "units": local.units,
    "space": local.space,
    "waldur": remote.waldur,
    "edge": remote.edge,
}


def main(args: Namespace, caller: Caller) -> int:
    """Print every finding of the areas asked for; exit 1 when one is an error."""
    names = args.areas or list(AREAS)
    if unknown := [name for name in names if name not in AREAS]:
        raise Refused(f"cannot check '{unknown[0]}'", hint=f"areas: {' '.join(AREAS)}")
    about = subject(caller, args.program, args.tokens)
    found = [finding for name in names for finding in _findings(name, about)]
    errors = [finding for finding in found if finding.rule.severity == ERROR]
    say(args, _answer(names, found), _lines(names, found))
    return exits.REFUSED if errors else exits.DONE


def _findings(name: str, about: Subject) -> list[Finding]:
    """One area that cannot be looked at does not keep the others from being."""
    try:
        return list(AREAS[name](about))
    except PharosError as error:
        code = {"inputs": "PH-INPUT-01", "waldur": "PH-WALDUR-02", "edge": "PH-EDGE-01", "units": "PH-HOST-02"}
        return [Finding(code.get(name, "PH-HOST-02"), error.message)]


def _answer(names: list[str], found: list[Finding]) -> dict[str, object]:
    rows = [
        {
            "code": finding.code,
            "severity": finding.rule.severity,
            "found": finding.found,
            "required": finding.rule.required,
            "remedy": finding.rule.remedy,
        }
        for finding in found
    ]
    return {"areas": names, "findings": rows, "ok": not any(row["severity"] == ERROR for row in rows)}


def _lines(names: list[str], found: list[Finding]) -> Iterator[str]:
    for finding in found:
        rule = finding.rule
        yield f"{rule.severity:<8} {finding.code:<14} {finding.found}"
        if rule.severity != FACT:
            yield f"{'':<8} required: {rule.required}; remedy: {rule.remedy}"
    errors = sum(finding.rule.severity == ERROR for finding in found)
    yield f"{len(names)} areas, {errors} errors, {len(found) - errors} other findings; nothing was changed"
