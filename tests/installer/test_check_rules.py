"""The table of `check`'s rules is what the documentation shows."""

from pathlib import Path

from installer.checks.rules import AREAS, RULES, reference
from installer.commands.check import AREAS as ASKED


def test_the_documentation_shows_every_rule() -> None:
    text = (Path(__file__).parents[2] / "docs/checks.md").read_text("utf-8")
    assert text == reference()


def test_every_rule_belongs_to_an_area_that_is_asked() -> None:
    assert {rule.area for rule in RULES.values()} == set(AREAS.values()) == set(ASKED)
