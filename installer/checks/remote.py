"""The areas beyond this host: the private inputs, Waldur's offering contract, the edge of the Site API."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from installer.checks.rules import Finding
from installer.checks.subject import Subject
from installer.host.http import Answer, get_json
from installer.host.reading import read_small
from installer.host.web import site_api
from installer.site_env import SiteEnv
from installer.waldur_answers import refusal
from states.errors import PharosError, Unhealthy

OK: Final = 200
OFFERING: Final = ("uuid", "name", "state", "customer_uuid", "plugin_options", "account_settings")
USER: Final = ("uuid", "is_staff", "permissions", "token_lifetime", "token_expires_at")


def inputs(subject: Subject) -> Iterator[Finding]:
    """The files below the secrets directory, or the token directory."""
    from installer.private_inputs import read_inputs

    try:
        read_inputs(subject.inputs, subject.site.activation_components if subject.site else ())
    except PharosError as error:
        faults = error.facts.get("faults")
        for fault in faults if isinstance(faults, list) else [error.message]:
            yield Finding("PH-INPUT-01", str(fault))


def waldur(subject: Subject) -> Iterator[Finding]:
    """The offering contract (spec 06), read-only, with the agent's own token and CA."""
    if subject.site is None:
        return
    try:
        offering = _ask(subject, subject.site, f"marketplace-provider-offerings/{_uuid(subject.site)}/", OFFERING)
        user = _ask(subject, subject.site, "users/me/", USER)
    except Unhealthy as error:
        yield Finding("PH-WALDUR-01", error.message)
        return
    except PharosError as error:
        yield Finding("PH-WALDUR-02", error.message)
        return
    yield from _offering(offering)
    yield from _user(user, offering)


def edge(subject: Subject) -> Iterator[Finding]:
    """The Site API."""
    if subject.site is None:
        return
    try:
        site_api(subject.site, subject.inputs / "site-api-ca.crt")
    except PharosError as error:
        yield Finding("PH-EDGE-01", error.message)


def _uuid(site: SiteEnv) -> str:
    return site.central_offering_uuid


def _ask(subject: Subject, site: SiteEnv, route: str, fields: tuple[str, ...]) -> Mapping[str, Any]:
    token = read_small(subject.inputs / "site-agent-token").decode("utf-8", "replace").strip()
    query = "&".join(f"field={name}" for name in fields)
    url = f"{site.central_waldur_api_url}{route}?{query}"
    answer = get_json(url, token=token, ca=subject.inputs / "site-agent-ca.crt", proxy=site.outbound_proxy_url)
    return _body(answer)


def _body(answer: Answer) -> Mapping[str, Any]:
    if answer.status == OK and isinstance(answer.body, dict):
        return answer.body
    raise refusal(answer)


def _offering(offering: Mapping[str, Any]) -> Iterator[Finding]:
    if offering.get("state") != "Active":
        yield Finding("PH-WALDUR-03", f"the offering reads '{offering.get('state')}'")
    options = offering.get("plugin_options") or {}
    policy = options.get("username_generation_policy")
    if policy != "service_provider":
        effective = ((offering.get("account_settings") or {}).get("username_generation_policy") or {}).get("value")
        inherited = ", though it is in effect by inheritance" if effective == "service_provider" else ""
        yield Finding("PH-WALDUR-04", f"the policy set on the offering is {policy!r}{inherited}")
    flag = options.get("service_provider_can_create_offering_user")
    if flag is not True:
        yield Finding("PH-WALDUR-05", f"service_provider_can_create_offering_user is {flag!r}")


def _user(user: Mapping[str, Any], offering: Mapping[str, Any]) -> Iterator[Finding]:
    roles = [role for role in user.get("permissions") or [] if _accepted(role, str(offering.get("customer_uuid")))]
    if not roles:
        names = sorted({str(role.get("role_name")) for role in user.get("permissions") or []})
        yield Finding("PH-WALDUR-06", f"the token's user has {', '.join(names) or 'no role'}")
    elif all(_expired(role) for role in roles):
        yield Finding("PH-WALDUR-06", f"the role {roles[0]['role_name']} expired at {roles[0]['expiration_time']}")
    if user.get("token_lifetime"):
        yield Finding("PH-WALDUR-07", f"the token expires after {user['token_lifetime']} s without use")


def _accepted(role: Mapping[str, Any], customer: str) -> bool:
    """The match rule that is right for both recorded shapes of the API."""
    name, kind = role.get("role_name"), role.get("scope_type")
    if name == "CUSTOMER.OWNER":
        return kind == "customer" and role.get("scope_uuid") == customer
    if name != "CUSTOMER.MANAGER":
        return False
    if kind in {"service_provider", "serviceprovider"}:
        return role.get("customer_uuid") == customer
    return kind == "customer" and role.get("scope_uuid") == customer


def _expired(role: Mapping[str, Any]) -> bool:
    until = role.get("expiration_time")
    return bool(until) and datetime.fromisoformat(str(until)) <= datetime.now(UTC)
