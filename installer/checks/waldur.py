"""Area `waldur`: the offering contract, read-only, with the agent's own token, CA, proxy and identity (spec 06)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Final

from installer.checks import waldur_hidden, waldur_offering, waldur_token, waldur_user
from installer.checks.questions import Asked, Question, ask, secret
from installer.checks.rule import FACT, WARNING, Finding, Rule, in_order
from installer.checks.shaped import Row, bare, rows, table
from installer.checks.subject import Subject
from installer.checks.transport import transport
from installer.host.http import Answer
from installer.private_inputs import AGENT_CA, TOKEN
from installer.site_env import SiteEnv
from states.errors import PharosError

SERVER: Final = transport("WALDUR", "Waldur", "CENTRAL_WALDUR_API_URL")
SHAPE: Final = Rule(
    "PH-WALDUR-18",
    "Waldur answers what it was asked",
    "the offering of CENTRAL_OFFERING_UUID, the token's user, the list of roles",
    "correct CENTRAL_WALDUR_API_URL: something answers there that is no Waldur as is known",
)
PLAN: Final = Rule(
    "PH-WALDUR-40",
    "the plan can be read by the public route",
    "200 on marketplace-public-offerings/<uuid>/plans/<uuid>/",
    "Waldur's operators say why the public route is closed",
)
CLOCK: Final = Rule(
    "PH-WALDUR-41", "this host's clock is Waldur's", "at most 60 s apart (Date header)", "run chrony", WARNING
)
ASKED: Final = Rule("PH-WALDUR-42", "Waldur was asked", "site-agent in ACTIVATION_COMPONENTS", "-", FACT)
SKEW: Final = 60  # seconds
HEX: Final = re.compile("[0-9a-f]{32}")
PARTS: Final = (waldur_token.RULES, waldur_offering.RULES, waldur_user.RULES, waldur_hidden.RULES)
OWN: Final = (SHAPE, PLAN, CLOCK, ASKED)
RULES: Final = in_order(*SERVER.rules, *chain.from_iterable(PARTS), *OWN)
NAMES: Final = ("offering", "user", "roles")
Answers = Mapping[str, Answer | PharosError]


def begin(subject: Subject) -> Asked | None:
    """Ask what does not depend on an answer: the offering from both sides, the user, the roles; all at once."""
    site = subject.site
    if site is None or "site-agent" not in site.activation_components:
        return None
    base, uuid = site.central_waldur_api_url, site.central_offering_uuid
    urls = {
        "offering": f"{base}marketplace-provider-offerings/{uuid}/?{_fields(waldur_offering.FIELDS)}",
        "user": f"{base}users/me/?{_fields(waldur_user.FIELDS)}",
        "roles": f"{base}roles/?page_size=100",
        "public": f"{base}marketplace-public-offerings/{uuid}/?{_fields(waldur_hidden.FIELDS)}",
    }
    return _ask(subject, urls)


def findings(subject: Subject, asked: Asked | None) -> Iterator[Finding]:
    """Yield what speaks against the offering, the user and the way to them; each as far as it was answered."""
    if subject.site is None:
        return
    if asked is None:
        yield ASKED.broken("it was not asked: this site does not activate the site agent")
        return
    answers = asked.answers()
    yield from _each_once(_told(answers, subject.site))
    yield from _clock(answers["user"], datetime.now(UTC))
    offering, user = (_table(name, answers[name], subject.site) for name in ("offering", "user"))
    yield from _content(offering, user, answers)
    yield from _plan(subject, subject.site, offering)


def _content(offering: Row, user: Row, answers: Answers) -> Iterator[Finding]:
    if offering:
        yield from waldur_offering.findings(offering)
    if offering and user:
        roles = _body(answers["roles"])
        yield from waldur_user.findings(user, offering, None if roles is None else rows(roles), datetime.now(UTC))
    elif user and (hidden := _hidden(answers["offering"])):
        yield from waldur_hidden.findings(user, table(_body(answers["public"])), hidden.url)


def _ask(subject: Subject, urls: Mapping[str, str]) -> Asked:
    authorization = f"Token {secret(subject.inputs / TOKEN)}"
    return ask(subject, {name: Question(url, authorization) for name, url in urls.items()}, AGENT_CA)


def _told(answers: Answers, site: SiteEnv) -> Iterator[Finding]:
    """What is wrong with each answer in itself. That an offering is hidden is told by who it is hidden from."""
    knows_user = bool(_table("user", answers["user"], site))
    for name in NAMES:
        answer = answers[name]
        if name == "offering" and knows_user and _hidden(answer):
            continue
        if found := of_answer(answer):
            yield found
        elif isinstance(answer, Answer) and not _shaped(name, answer.body, site):
            yield SHAPE.broken(f"JSON that is not what was asked for ('{answer.url}')")


def of_answer(answer: Answer | PharosError) -> Finding | None:
    """Return what is wrong with an answer, whatever was asked; None: there is one to be read."""
    if isinstance(answer, PharosError):
        return SERVER.unreachable(answer)
    return SERVER.answered(answer) or waldur_token.refused(answer)


def _shaped(name: str, body: object, site: SiteEnv) -> bool:
    if name == "roles":
        return isinstance(body, list)
    uuid = bare(table(body).get("uuid"))
    return uuid == bare(site.central_offering_uuid) if name == "offering" else bool(uuid)


def _table(name: str, answer: Answer | PharosError, site: SiteEnv) -> Row:
    body = _body(answer)
    return table(body) if _shaped(name, body, site) else {}


def _hidden(answer: Answer | PharosError) -> Answer | None:
    """Return the answer when it is Waldur's own 404."""
    if isinstance(answer, PharosError) or not answer.is_json or answer.status != waldur_token.NOT_FOUND:
        return None
    return answer


def _each_once(found: Iterable[Finding]) -> Iterator[Finding]:
    """One cause is told once, though every question met it."""
    told: dict[str, Finding] = {}
    for finding in found:
        told.setdefault(finding.code, finding)
    yield from told.values()


def _plan(subject: Subject, site: SiteEnv, offering: Row) -> Iterator[Finding]:
    """The nested route takes undashed ids only; Waldur shows it for offerings that are Active or Paused."""
    plans = [plan for plan in (bare(row.get("uuid")) for row in rows(offering.get("plans"))) if HEX.fullmatch(plan)]
    if not plans or offering.get("state") not in ("Active", "Paused"):
        return
    url = f"{site.central_waldur_api_url}marketplace-public-offerings/{site.central_offering_uuid}/plans/{plans[0]}/"
    answer = _ask(subject, {"plan": url}).answers()["plan"]
    if isinstance(answer, PharosError):
        yield PLAN.broken(answer.message)
    elif answer.status != waldur_token.OK or not answer.is_json:
        yield PLAN.broken(f"status {answer.status} ('{answer.url}')")


def _clock(answer: Answer | PharosError, now: datetime) -> Iterator[Finding]:
    date = "" if isinstance(answer, PharosError) else answer.date
    try:
        apart = (now - parsedate_to_datetime(date)).total_seconds()
    except (TypeError, ValueError):  # no date, or none of RFC 9110
        return
    if abs(apart) > SKEW:
        yield CLOCK.broken(f"this host is {abs(apart):.0f} s {'ahead' if apart > 0 else 'behind'}")


def _fields(names: Iterable[str]) -> str:
    """Always fields, each by a parameter of its own, and `uuid` among them: else the answer holds the token."""
    return "&".join(f"field={name}" for name in names)


def _body(answer: Answer | PharosError) -> object:
    """Return the JSON of a good answer; None for all else."""
    if isinstance(answer, PharosError) or answer.status != waldur_token.OK or not answer.is_json:
        return None
    return answer.body
