"""Area `waldur`: the offering contract, read-only, with the agent's own token, CA, proxy and identity (spec 06)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from installer.checks import waldur_offering, waldur_token, waldur_user
from installer.checks.questions import Asked, Question, ask, secret
from installer.checks.rule import WARNING, Finding, Rule
from installer.checks.subject import Subject
from installer.checks.transport import Transport, transport
from installer.host.http import Answer
from installer.private_inputs import AGENT_CA, TOKEN
from installer.site_env import SiteEnv
from states.errors import PharosError

SERVER: Final = transport("WALDUR", "Waldur", "CENTRAL_WALDUR_API_URL")
PLAN: Final = Rule(
    "PH-WALDUR-40",
    "the plan can be read by the public route",
    "200 on marketplace-public-offerings/<uuid>/plans/<uuid>/",
    "Waldur's operators say why the public route is closed",
)
CLOCK: Final = Rule(
    "PH-WALDUR-41", "this host's clock is Waldur's", "at most 60 s apart (Date header)", "run chrony", WARNING
)
SKEW: Final = 60  # seconds
RULES: Final = (*SERVER.rules, *waldur_token.RULES, *waldur_offering.RULES, *waldur_user.RULES, PLAN, CLOCK)


def begin(subject: Subject) -> Asked | None:
    """Ask what does not depend on an answer: the offering, the user, the roles; all at once."""
    site = subject.site
    if site is None or "site-agent" not in site.activation_components:
        return None
    base, uuid = site.central_waldur_api_url, site.central_offering_uuid
    urls = {
        "offering": f"{base}marketplace-provider-offerings/{uuid}/?{_fields(waldur_offering.FIELDS)}",
        "user": f"{base}users/me/?{_fields(waldur_user.FIELDS)}",
        "roles": f"{base}roles/?page_size=100",
    }
    return _ask(subject, urls)


def findings(subject: Subject, asked: Asked | None) -> Iterator[Finding]:
    """Yield what speaks against the offering, the user and the way to them."""
    if subject.site is None or asked is None:
        return
    answers = asked.answers()
    told = [_told(SERVER, answers[name]) for name in ("offering", "user")]
    if any(told):
        yield from _each_once(finding for finding in told if finding)
        return
    offering, user, roles = (_body(answers[name]) for name in ("offering", "user", "roles"))
    yield from waldur_offering.findings(offering)
    yield from waldur_user.findings(user, offering, roles if isinstance(roles, Sequence) else (), datetime.now(UTC))
    yield from _plan(subject, subject.site, offering)
    yield from _clock(answers["offering"], datetime.now(UTC))


def _ask(subject: Subject, urls: Mapping[str, str]) -> Asked:
    authorization = f"Token {secret(subject.inputs / TOKEN)}"
    return ask(subject, {name: Question(url, authorization) for name, url in urls.items()}, AGENT_CA)


def _told(server: Transport, answer: Answer | PharosError) -> Finding | None:
    if isinstance(answer, PharosError):
        return server.unreachable(answer)
    return server.answered(answer) or waldur_token.refused(answer)


def _each_once(found: Iterable[Finding]) -> Iterator[Finding]:
    """One cause is told once, though every question met it."""
    yield from {finding.code: finding for finding in found}.values()


def _plan(subject: Subject, site: SiteEnv, offering: Mapping[str, Any]) -> Iterator[Finding]:
    """The nested route takes undashed ids only; Waldur shows it for offerings that are Active or Paused."""
    plans = [str(plan.get("uuid")).replace("-", "") for plan in offering.get("plans") or []]
    if not plans or offering.get("state") not in {"Active", "Paused"}:
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


def _body(answer: Answer | PharosError) -> Any:  # noqa: ANN401  # whatever JSON Waldur sends
    return {} if isinstance(answer, PharosError) or answer.body is None else answer.body
