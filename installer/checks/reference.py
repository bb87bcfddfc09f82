"""Every rule of `check` by its code; docs/checks.md is made from it."""

from collections.abc import Mapping, Sequence
from typing import Final

from installer.checks import package
from installer.checks.rule import Rule
from installer.checks.table import AREAS


def _all() -> Mapping[str, Sequence[Rule]]:
    """Return the rules of every area by its name."""
    return {package.AREA: package.RULES, **{name: area.rules for name, area in AREAS.items()}}


RULES: Final = {rule.code: rule for rules in _all().values() for rule in rules}


def reference() -> str:
    """Return docs/checks.md."""
    head = "| code | severity | rule | required | remedy |\n| --- | --- | --- | --- | --- |\n"
    parts = (f"## {name}\n\n{head}{_rows(rules)}" for name, rules in _all().items())
    return "# The rules of `check`\n\nMade from `installer/checks/`; a test compares the two.\n\n" + "\n".join(parts)


def _rows(rules: Sequence[Rule]) -> str:
    return "".join(f"| {r.code} | {r.severity} | {r.title} | {r.required} | {r.remedy} |\n" for r in rules)
