"""A rule of `check`, and what was found where it is broken."""

from typing import Final

import attrs

ERROR: Final = "error"
WARNING: Final = "warning"
FACT: Final = "fact"  # for a human to decide
SHOWN: Final = 1000  # characters of what was found


@attrs.frozen
class Rule:
    """One rule: `code` is stable; `required` and `remedy` are what an operator reads beside what was found."""

    code: str
    title: str
    required: str
    remedy: str
    severity: str = ERROR

    def broken(self, found: str, remedy: str = "") -> "Finding":
        """Return that this was found where the rule is broken, with a remedy that fits better than the rule's own."""
        return Finding(self, printable(found), remedy or self.remedy)


@attrs.frozen
class Finding:
    """What was found where a rule was broken, or a fact."""

    rule: Rule
    found: str
    remedy: str

    @property
    def code(self) -> str:
        """Return the rule's code."""
        return self.rule.code


def in_order(*rules: Rule) -> tuple[Rule, ...]:
    """Return rules in the order of their codes, as docs/checks.md shows them."""
    return tuple(sorted(rules, key=lambda rule: rule.code))


def printable(text: str) -> str:
    """Return text on one line and in bounds: what was found can hold what a stranger wrote for our terminal."""
    line = "".join(sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in text[:SHOWN])
    return line if len(text) <= SHOWN else f"{line}..."
