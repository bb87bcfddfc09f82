"""Area `units`: the archive's unit files, and what an administrator decided about ours."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.host.systemd import RealUnits, lint
from states.unit import OURS

VALID: Final = Rule(
    "PH-UNIT-01", "the unit files are valid", "systemd-analyze verify is silent", "use an undamaged archive"
)
NOT_MASKED: Final = Rule("PH-UNIT-02", "no unit of ours is masked", "no mask", "systemctl unmask UNIT")
NOT_REPLACED: Final = Rule(
    "PH-UNIT-03",
    "no drop-in replaces the program of a unit of ours",
    "no ExecStart= without our program",
    "move the drop-in away, then systemctl daemon-reload",
)
RULES: Final = (VALID, NOT_MASKED, NOT_REPLACED)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is in the way of the units."""
    if subject.archive:
        directory = subject.archive.directory / "units"
        yield from (VALID.broken(fault) for fault in lint(subject.paths, directory))
    for state in RealUnits(subject.paths).states(OURS):
        if state.load == "masked":
            yield NOT_MASKED.broken(f"'{state.name}' is masked", f"systemctl unmask {state.name}")
        if state.replaced:
            yield NOT_REPLACED.broken(f"'{state.replaced}' replaces ExecStart of '{state.name}'")
