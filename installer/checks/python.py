"""Area `python`: the interpreter that the site provides."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.stageable import interpreter_faults

WORKS: Final = Rule("PH-PYTHON-01", "HOST_PYTHON works", "a Python that satisfies python_requires", "install it")
REACHED: Final = Rule(
    "PH-PYTHON-02", "both identities reach HOST_PYTHON", "no directory closed to them", "open the way: chmod o+x"
)
RULES: Final = (WORKS, REACHED)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what keeps the agents from running on this interpreter."""
    if subject.site and subject.archive:
        for fault in interpreter_faults(subject.site, subject.archive.manifest):
            rule = REACHED if "closed" in fault or "reach" in fault else WORKS
            yield rule.broken(fault)
