"""Area `edge`: the Site API behind its edge, and with grants as files the qualification of the design's section 8."""

from collections.abc import Iterator, Mapping
from typing import Final

from installer.checks import grants
from installer.checks.questions import Asked, Question, ask, secret
from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.checks.transport import transport
from installer.host.http import Answer
from installer.private_inputs import SITE_API_CA, SITE_TOKEN
from states.errors import PharosError

SERVER: Final = transport("EDGE", "the Site API", "CENTRAL_SITE_API_URL")
ROUTED: Final = Rule(
    "PH-EDGE-10",
    "each route leads to the Site API",
    "401 in JSON on /v1/site/commands/ and /v1/site/ssh-access/ without a grant",
    "the edge must route /v1/site/ to the Site API",
)
GRANTED: Final = Rule(
    "PH-EDGE-11",
    "the Site API accepts the access agent's grant",
    "no 401 or 403 on /v1/site/ssh-access/",
    "the central step issues a new grant; run 'pharos-hpc configure' with it",
)
RULES: Final = (*SERVER.rules, ROUTED, GRANTED, *grants.RULES)
REFUSED: Final = frozenset({401, 403})
OWN: Final = "own"


def begin(subject: Subject) -> Asked | None:
    """Ask each route without a grant, one with the agent's own, and what the given grants are to show."""
    if subject.site is None or "ssh-access" not in subject.site.activation_components:
        return None
    origin = subject.site.central_site_api_url.rstrip("/")
    own = Question(origin + grants.SSH_ACCESS, f"Bearer {secret(subject.inputs / SITE_TOKEN)}")
    bare = {route: Question(origin + route) for route in grants.ROUTES}
    given = {} if grants.unusable(subject.grants) else grants.questions(origin, subject.grants)
    return ask(subject, {**bare, OWN: own, **given}, SITE_API_CA)


def findings(subject: Subject, asked: Asked | None) -> Iterator[Finding]:
    """Yield what speaks against the way to the Site API, and against what it lets in."""
    if subject.site is None or asked is None:
        return
    if wrong := grants.unusable(subject.grants):
        yield wrong
    answers = asked.answers()
    yield from {finding.code: finding for finding in _way(answers)}.values()
    own = answers[OWN]
    if isinstance(own, Answer) and SERVER.answered(own) is None and own.status in REFUSED:
        yield GRANTED.broken(f"status {own.status} ('{own.url}')")
    yield from grants.findings(answers, subject.site.site_name)


def _way(answers: Mapping[str, Answer | PharosError]) -> Iterator[Finding]:
    for name in (*grants.ROUTES, OWN):
        answer = answers[name]
        if isinstance(answer, PharosError):
            yield SERVER.unreachable(answer)
        elif told := SERVER.answered(answer):
            yield told
        elif name != OWN and answer.status not in REFUSED:
            yield ROUTED.broken(f"status {answer.status} ('{answer.url}')")
