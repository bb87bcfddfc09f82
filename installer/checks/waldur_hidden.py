"""An offering that Waldur does not show (404, never 403): what of the token's user, or of the id, is the cause."""

from collections.abc import Iterator
from typing import Final

from installer.checks import waldur_token, waldur_user
from installer.checks.rule import Finding, Rule
from installer.checks.shaped import Row, bare, rows

MORE_THAN_MANAGER: Final = Rule(
    "PH-WALDUR-51",
    "the manager of the service provider sees the offering",
    "a Waldur that shows it to CUSTOMER.MANAGER of the service provider, or CUSTOMER.OWNER on the organisation",
    waldur_user.GRANT,
)
RULES: Final = (MORE_THAN_MANAGER,)
FIELDS: Final = ("uuid", "customer_uuid", "customer_name", "state")


def findings(user: Row, public: Row, where: str) -> Iterator[Finding]:
    """Yield the cause; `public` is what the public route shows of the offering, `where` the address that gave 404."""
    held, customer = rows(user.get("permissions")), bare(public.get("customer_uuid"))
    if user.get("is_staff") is True or user.get("is_support") is True:
        yield waldur_token.EXISTS.broken(f"staff and support see every offering, and not this one ('{where}')")
    elif managed := [row for row in held if _manages(row, customer)]:
        name = managed[0].get("customer_name")
        yield MORE_THAN_MANAGER.broken(f"404 for CUSTOMER.MANAGER of the service provider of '{name}' ('{where}')")
    elif not customer and waldur_user.elsewhere(held):
        yield waldur_token.EXISTS.broken(f"neither its provider's nor the public route shows it ('{where}')")
    elif any(waldur_user.accepted(row, customer) for row in held):
        yield waldur_token.EXISTS.broken(f"404 although the user has the role ('{where}')")
    else:
        yield waldur_user.without(user, customer or "somebody else")
    yield from waldur_user.lasting(user)


def _manages(row: Row, customer: str) -> bool:
    """Of the offering's own provider, or of the one that it may be of where nothing is shown of it."""
    own = bare(row.get("customer_uuid"))
    return row.get("scope_type") in waldur_user.MANAGED and waldur_user.accepted(row, customer or own)
