"""What the token's user must be: owner or manager of the offering's own provider, able to report usage, for ever."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from installer.checks.rule import WARNING, Finding, Rule

GRANT: Final = "the provider's owner grants CUSTOMER.OWNER on the provider organisation to the token's user"
ROLE: Final = Rule(
    "PH-WALDUR-30",
    "the token's user has the role",
    "CUSTOMER.OWNER on the provider organisation, or CUSTOMER.MANAGER on its service provider",
    GRANT,
)
OWN_PROVIDER: Final = Rule(
    "PH-WALDUR-31",
    "the offering is of the provider whose role the user has",
    "the role on the organisation that offers it",
    "compare CENTRAL_OFFERING_UUID, or " + GRANT,
)
NOT_STAFF: Final = Rule(
    "PH-WALDUR-32", "the token is not one of Waldur's own staff", "a user of the provider", "use a token of such a user"
)
NOT_OVER: Final = Rule("PH-WALDUR-33", "the role has not expired", "an end in the future, or none", GRANT)
REPORTS: Final = Rule(
    "PH-WALDUR-34",
    "the role may report usage",
    "a role with RESOURCE.SET_USAGE on the provider or the offering, e.g. CUSTOMER.OWNER or OFFERING.MANAGER",
    "the provider's owner grants OFFERING.MANAGER on the offering too",
)
LASTS: Final = Rule(
    "PH-WALDUR-35",
    "the token does not expire by itself",
    "no token lifetime",
    "the token's user sets no lifetime in Waldur",
    WARNING,
)
RULES: Final = (ROLE, OWN_PROVIDER, NOT_STAFF, NOT_OVER, REPORTS, LASTS)
FIELDS: Final = ("uuid", "is_staff", "is_support", "permissions", "token_lifetime", "token_expires_at")
MANAGED: Final = frozenset({"service_provider", "serviceprovider"})  # as 8.1.3 and the recorded one spell it
Row = Mapping[str, Any]


def findings(user: Row, offering: Row, roles: Sequence[Row], now: datetime) -> Iterator[Finding]:
    """Yield what speaks against the token's user; `roles` say what each role of this Waldur may do."""
    rows: list[Row] = list(user.get("permissions") or [])
    customer = str(offering.get("customer_uuid"))
    accepted = [row for row in rows if _accepted(row, customer)]
    if user.get("is_staff"):
        yield NOT_STAFF.broken("the token is a staff user's, who may do everything everywhere")
    elif not accepted:
        yield _without(rows, customer, support=bool(user.get("is_support")))
    elif all(is_over(row, now) for row in accepted):
        yield NOT_OVER.broken(f"{accepted[0]['role_name']} ended at {accepted[0]['expiration_time']}")
    elif not _reports(rows, offering, roles, now):
        yield REPORTS.broken(f"the user has {_names(rows)}")
    yield from _lasting(user)


def is_over(row: Row, now: datetime) -> bool:
    """Return whether a role has ended; Waldur lists it, and lets it work, until a daily task removes it."""
    until = row.get("expiration_time")
    return bool(until) and datetime.fromisoformat(str(until)).astimezone(UTC) <= now


def _without(rows: Sequence[Row], customer: str, *, support: bool) -> Finding:
    elsewhere = [
        row for row in rows if any(_accepted(row, str(row.get(key))) for key in ("scope_uuid", "customer_uuid"))
    ]
    if elsewhere:
        where = elsewhere[0].get("scope_name") or elsewhere[0].get("customer_name") or "another organisation"
        return OWN_PROVIDER.broken(f"the user has {_names(elsewhere)} on '{where}', the offering is of '{customer}'")
    return ROLE.broken(f"the user has {_names(rows)}{', and is of the support' * support}")


def _accepted(row: Row, customer: str) -> bool:
    """The match rule that is right for the recorded shape and for that of 8.1.3."""
    name, kind = row.get("role_name"), row.get("scope_type")
    if name == "CUSTOMER.MANAGER" and kind in MANAGED:
        return row.get("customer_uuid") == customer
    return name in {"CUSTOMER.OWNER", "CUSTOMER.MANAGER"} and kind == "customer" and row.get("scope_uuid") == customer


def _reports(rows: Iterable[Row], offering: Row, roles: Iterable[Row], now: datetime) -> bool:
    """Waldur looks the permission up on the provider organisation and on the offering, not on the service provider."""
    able = {role.get("name") for role in roles if "RESOURCE.SET_USAGE" in (role.get("permissions") or ())}
    places = {("customer", offering.get("customer_uuid")), ("offering", offering.get("uuid"))}
    here = (row for row in rows if (row.get("scope_type"), row.get("scope_uuid")) in places and not is_over(row, now))
    return any(row.get("role_name") in able for row in here)


def _lasting(user: Row) -> Iterator[Finding]:
    if user.get("token_lifetime"):
        yield LASTS.broken(f"the token expires after {user['token_lifetime']} s without use")
    elif user.get("token_expires_at"):
        yield LASTS.broken(f"the token expires at {user['token_expires_at']}")


def _names(rows: Iterable[Row]) -> str:
    return ", ".join(sorted({str(row.get("role_name")) for row in rows})) or "no role"
