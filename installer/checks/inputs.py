"""Area `inputs`: the private inputs below the secrets directory, or in the token directory; never their values."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.private_inputs import read_inputs
from states.errors import PharosError

VALID: Final = Rule(
    "PH-INPUT-01", "the private inputs are valid", "five files as in spec 03", "ask the central step for them"
)
RULES: Final = (VALID,)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield every fault of every file."""
    try:
        read_inputs(subject.inputs, subject.site.activation_components if subject.site else ())
    except PharosError as error:
        faults = error.facts.get("faults")
        yield from (VALID.broken(str(fault)) for fault in (faults if isinstance(faults, list) else [error.message]))
