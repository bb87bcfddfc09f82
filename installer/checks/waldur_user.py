"""What the token's user must be: owner or manager of the offering's own provider, able to report usage, for ever."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from installer.checks.rule import WARNING, Finding, Rule
from installer.checks.shaped import Row, bare, moment, rows, words

GRANT: Final = "the provider's owner grants CUSTOMER.OWNER on the provider organisation to the token's user"
EITHER: Final = "CUSTOMER.OWNER on the provider organisation, or CUSTOMER.MANAGER on its service provider"
AGENTS_OWN: Final = "use a token of a user of the provider, made for this agent"


def _rule(number: int, title: str, required: str, remedy: str = GRANT, severity: str = "error") -> Rule:
    return Rule(f"PH-WALDUR-{number}", title, required, remedy, severity)


ROLE: Final = _rule(30, "the token's user has the role", EITHER)
OWN_PROVIDER: Final = _rule(
    31,
    "the offering is of the provider whose role the user has",
    "the role on the organisation that offers it",
    "compare CENTRAL_OFFERING_UUID, or " + GRANT,
)
NOT_STAFF: Final = _rule(32, "the token is not one of Waldur's own staff", "a user of the provider", AGENTS_OWN)
NOT_OVER: Final = _rule(33, "the role has not expired", "an end in the future, or none")
REPORTS: Final = _rule(
    34,
    "the role may report usage",
    "a role with RESOURCE.SET_USAGE on the provider or the offering, e.g. CUSTOMER.OWNER or OFFERING.MANAGER",
    "the provider's owner grants OFFERING.MANAGER on the offering too",
)
NO_LIFETIME: Final = _rule(
    35,
    "the token does not expire by itself",
    "no token lifetime",
    "the token's user sets no lifetime in Waldur",
    WARNING,
)
NO_END: Final = _rule(
    36, "the token has no end", "a token without a date", "note the date, and issue a new token before it", WARNING
)
STAYS: Final = _rule(37, "the role has no end", "a role without a date", "the owner takes the date away", WARNING)
NOT_SUPPORT: Final = _rule(38, "the token is not one of Waldur's own support", "a user of the provider", AGENTS_OWN)
MORE_THAN_OFFERING: Final = _rule(39, "the role is not on the offering alone", EITHER)
ANY_ROLE: Final = _rule(50, "the token's user has any role", EITHER)
RULES: Final = (
    ROLE,
    OWN_PROVIDER,
    NOT_STAFF,
    NOT_OVER,
    REPORTS,
    NO_LIFETIME,
    NO_END,
    STAYS,
    NOT_SUPPORT,
    MORE_THAN_OFFERING,
    ANY_ROLE,
)
FIELDS: Final = ("uuid", "is_staff", "is_support", "permissions", "token_lifetime", "token_expires_at")
MANAGED: Final = ("service_provider", "serviceprovider")  # as 8.1.3 and the recorded one spell it
OFFERING_MANAGER: Final = "OFFERING.MANAGER"


def findings(user: Row, offering: Row, roles: Sequence[Row] | None, now: datetime) -> Iterator[Finding]:
    """Yield what speaks against the token's user; `roles`: what each role of this Waldur may do, where it is known."""
    held = rows(user.get("permissions"))
    mine = [row for row in held if accepted(row, bare(offering.get("customer_uuid")))]
    if user.get("is_staff") is True:
        yield NOT_STAFF.broken("the token is a staff user's, who may do everything everywhere")
    elif not mine:
        yield without(user, bare(offering.get("customer_uuid")))
    elif all(is_over(row, now) for row in mine):
        yield NOT_OVER.broken(f"{mine[0]['role_name']} ended at {mine[0]['expiration_time']}")
    else:
        yield from _able(held, offering, roles, now)
        yield from _staying(mine, now)
    yield from lasting(user)


def is_over(row: Row, now: datetime) -> bool:
    """Return whether a role has ended; Waldur lists it, and lets it work, until a daily task removes it."""
    until = moment(row.get("expiration_time"))
    return until is not None and until <= now


def without(user: Row, customer: str) -> Finding:
    """Return what a user is who has none of the accepted roles on this organisation."""
    held = rows(user.get("permissions"))
    if user.get("is_support") is True:
        return NOT_SUPPORT.broken(f"the user is of the support, and has {_names(held)}")
    if not held:
        return ANY_ROLE.broken("the user has no role at all")
    if others := elsewhere(held):
        where = others[0].get("scope_name") or others[0].get("customer_name") or "another organisation"
        return OWN_PROVIDER.broken(f"the user has {_names(others)} on '{where}', the offering is of '{customer}'")
    if all(row.get("role_name") == OFFERING_MANAGER for row in held):
        return MORE_THAN_OFFERING.broken(f"the user has {OFFERING_MANAGER} only")
    return ROLE.broken(f"the user has {_names(held)}")


def elsewhere(held: Iterable[Row]) -> list[Row]:
    """Return the roles that would be accepted for an offering of the organisation that they are on."""
    return [row for row in held if any(accepted(row, bare(row.get(key))) for key in ("scope_uuid", "customer_uuid"))]


def accepted(row: Row, customer: str) -> bool:
    """Return whether a role is the wanted one, by the rule that is right for the recorded shape and for 8.1.3's."""
    name, kind = row.get("role_name"), row.get("scope_type")
    if not customer:
        return False
    if name == "CUSTOMER.MANAGER" and kind in MANAGED:
        return bare(row.get("customer_uuid")) == customer
    on_customer = kind == "customer" and bare(row.get("scope_uuid")) == customer
    return on_customer and name in ("CUSTOMER.OWNER", "CUSTOMER.MANAGER")


def lasting(user: Row) -> Iterator[Finding]:
    """Yield what ends the token without anybody's doing."""
    if user.get("token_lifetime"):
        yield NO_LIFETIME.broken(f"the token expires after {user['token_lifetime']} s without use")
    elif user.get("token_expires_at"):
        yield NO_END.broken(f"the token expires at {user['token_expires_at']}")


def _able(held: list[Row], offering: Row, roles: Sequence[Row] | None, now: datetime) -> Iterator[Finding]:
    if roles is None:
        return
    able = [role.get("name") for role in roles if "RESOURCE.SET_USAGE" in words(role.get("permissions"))]
    here = (row for row in held if _counts(row, offering) and not is_over(row, now))
    if not any(row.get("role_name") in able for row in here):
        yield REPORTS.broken(f"the user has {_names(held)}")


def _counts(row: Row, offering: Row) -> bool:
    """Return whether Waldur looks SET_USAGE up where this role is: not on the service provider, in either shape."""
    customer, kind = bare(offering.get("customer_uuid")), row.get("scope_type")
    if kind == "customer":
        return bare(row.get("scope_uuid")) == customer
    return kind == "offering" and bare(row.get("scope_uuid")) == bare(offering.get("uuid"))


def _staying(mine: Sequence[Row], now: datetime) -> Iterator[Finding]:
    ends = [moment(row.get("expiration_time")) for row in mine if not is_over(row, now)]
    known = [end for end in ends if end is not None]
    if known and len(known) == len(ends):
        yield STAYS.broken(f"it ends at {max(known).isoformat()}")


def _names(held: Iterable[Row]) -> str:
    return ", ".join(sorted({str(row.get("role_name")) for row in held})) or "no role"
