"""Area `inputs`: the private inputs below the secrets directory, or in the token directory; never their values."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.configure import targets
from installer.host.commit import obstacle
from installer.private_inputs import read_inputs
from states.errors import PharosError

VALID: Final = Rule(
    "PH-INPUT-01", "the private inputs are valid", "five files as in spec 03", "ask the central step for them"
)
CLEAR: Final = Rule(
    "PH-INPUT-02", "nothing stands where configuration files will be", "a file, or nothing", "move it away"
)
RULES: Final = (VALID, CLEAR)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield every fault of every file, and what is in the way of those that `configure` writes."""
    yield from (CLEAR.broken(fault) for fault in dict.fromkeys(map(obstacle, targets(subject.paths))) if fault)
    try:
        read_inputs(subject.inputs, subject.site.activation_components if subject.site else ())
    except PharosError as error:
        faults = error.facts.get("faults")
        yield from (VALID.broken(str(fault)) for fault in (faults if isinstance(faults, list) else [error.message]))
