"""The table of `check`'s rules is what the documentation shows."""

import re
from pathlib import Path

from installer.checks import package
from installer.checks.reference import RULES, reference
from installer.checks.table import AREAS


def test_the_documentation_shows_every_rule() -> None:
    text = (Path(__file__).parents[2] / "docs/checks.md").read_text("utf-8")
    assert text == reference()


def test_every_code_is_one_rule_of_one_area() -> None:
    codes = [rule.code for rules in (package.RULES, *(area.rules for area in AREAS.values())) for rule in rules]
    assert len(codes) == len(set(codes)) == len(RULES)
    assert all(re.fullmatch(r"PH-[A-Z]+-[0-9]{2}", code) for code in codes)
    for area in AREAS.values():
        assert len({rule.code.split("-")[1] for rule in area.rules}) == 1
