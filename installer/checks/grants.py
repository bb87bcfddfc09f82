"""What grants given as files must show: who is let in, and that everybody else is refused as such, never by a page.

The files of `--grants DIR`, each optional: ssh-access and commands (valid ones), expired, revoked, other-site.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from installer.checks.questions import Question, secret
from installer.checks.rule import Finding, Rule
from installer.host import listing
from installer.host.http import Answer
from states.errors import PharosError, Refused

SSH_ACCESS: Final = "/v1/site/ssh-access/"
COMMANDS: Final = "/v1/site/commands/"
ROUTES: Final = (SSH_ACCESS, COMMANDS)
EDGE: Final = "ask the Site API's operators"


def _rule(number: int, title: str, required: str) -> Rule:
    return Rule(f"PH-EDGE-{number}", title, required, EDGE)


REFUSAL: Final = "401 or 403 in JSON, and neither a page nor a redirect"
VALID: Final = _rule(20, "a valid grant is let in", "200 in JSON on its own route")
MALFORMED: Final = _rule(21, "what is no grant is refused", REFUSAL)
EXPIRED: Final = _rule(22, "an expired grant is refused", REFUSAL)
REVOKED: Final = _rule(23, "a revoked grant is refused", REFUSAL)
SCOPE: Final = _rule(24, "a grant of another scope is refused", REFUSAL)
SITE: Final = _rule(25, "a grant of another site does not speak for this one", REFUSAL + ", or another site's name")
GIVEN: Final = Rule(
    "PH-EDGE-26", "the grants given can be used", "files of the known names", "name a directory of grants, --grants"
)
RULES: Final = (VALID, MALFORMED, EXPIRED, REVOKED, SCOPE, SITE, GIVEN)


@attrs.frozen
class Case:
    """One thing to be shown: the grant of a file on a route, by which rule it is judged."""

    file: str
    route: str
    rule: Rule

    @property
    def name(self) -> str:
        """Return the question's name."""
        return f"{self.file} on {self.route}"


CASES: Final = (
    Case("ssh-access", SSH_ACCESS, VALID),
    Case("commands", COMMANDS, VALID),
    Case("expired", SSH_ACCESS, EXPIRED),
    Case("revoked", SSH_ACCESS, REVOKED),
    Case("ssh-access", COMMANDS, SCOPE),
    Case("commands", SSH_ACCESS, SCOPE),
    Case("other-site", SSH_ACCESS, SITE),
)
NO_GRANT: Final = tuple(Case("no-grant", route, MALFORMED) for route in ROUTES)
OK: Final = 200
AUTHENTICATION: Final = frozenset({401, 403})


def questions(origin: str, directory: Path | None) -> Mapping[str, Question]:
    """Return what is to be asked of the Site API at `origin`, given the grants in `directory`.

    Raises:
        Refused: a file of the directory is unknown, or cannot be read.

    """
    if directory is None:
        return {}
    files = listing.names(directory, hint="name a directory of grants")
    if unknown := sorted(set(files) - {case.file for case in CASES}):
        raise Refused(f"cannot use grant '{directory / unknown[0]}'", hint="docs/operator.md names the files")
    bearers = {name: secret(directory / name) for name in files}
    cases = [case for case in CASES if case.file in bearers]
    asked = {case.name: Question(origin + case.route, f"Bearer {bearers[case.file]}") for case in cases}
    return asked | {case.name: Question(origin + case.route, "Bearer no-grant") for case in NO_GRANT}


def unusable(directory: Path | None) -> Finding | None:
    """Return why the directory of grants cannot be used; None when it can."""
    try:
        questions("", directory)
    except PharosError as error:
        return GIVEN.broken(error.message, error.hint)
    return None


def findings(answers: Mapping[str, Answer | PharosError], site: str) -> Iterator[Finding]:
    """Yield what was let in and should not have been, and the other way round."""
    for case in (*CASES, *NO_GRANT):
        if case.name in answers and (told := _judged(case, answers[case.name], site)):
            yield case.rule.broken(f"the grant '{case.file}' on {case.route}: {told}")


def _judged(case: Case, answer: Answer | PharosError, site: str) -> str:
    if isinstance(answer, PharosError):
        return answer.message
    if case.rule is VALID:
        good = answer.status == OK and answer.is_json
    elif case.rule is SITE and answer.status == OK:
        good = answer.is_json and isinstance(answer.body, dict) and answer.body.get("site") not in {None, site}
    else:
        good = answer.status in AUTHENTICATION and answer.is_json
    where = f", leads to '{answer.location}'" if answer.location else ""
    return "" if good else f"status {answer.status}, {answer.content_type or 'no type'}{where}"
