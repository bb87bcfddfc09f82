"""What Waldur says to the token: accepted, or refused for one of few reasons (recorded bodies of 401, 403, 404)."""

from typing import Final

from installer.checks.rule import Finding, Rule
from installer.host.http import Answer
from installer.waldur_answers import NOT_SHOWN, own_words

NEW: Final = "the provider's owner issues a new token; run 'pharos-hpc configure' with it"
ACCEPTED: Final = Rule("PH-WALDUR-10", "Waldur knows the token", "a token of a user", NEW)
NOT_EXPIRED: Final = Rule("PH-WALDUR-11", "the token has not expired", "a token that is in use, or without end", NEW)
ACTIVE_USER: Final = Rule(
    "PH-WALDUR-12", "the token's user is active", "an active user", "Waldur's operators activate the user"
)
VISIBLE: Final = Rule("PH-WALDUR-13", "the token's user sees the offering", "the offering of site.env", NOT_SHOWN)
ALLOWED: Final = Rule("PH-WALDUR-14", "the token's user may ask", "200", "the provider's owner grants CUSTOMER.OWNER")
RULES: Final = (ACCEPTED, NOT_EXPIRED, ACTIVE_USER, VISIBLE, ALLOWED)
OK: Final = 200
UNAUTHORIZED: Final = 401
NOT_FOUND: Final = 404


def refused(answer: Answer) -> Finding | None:
    """Return why the token got no answer; None when it got one."""
    if answer.status == OK:
        return None
    found = f"status {answer.status}{own_words(answer)} ('{answer.url}')"
    if answer.status == UNAUTHORIZED:
        return _unauthorized(found).broken(found)
    if answer.status == NOT_FOUND:
        return VISIBLE.broken(found)
    return ALLOWED.broken(found)


def _unauthorized(found: str) -> Rule:
    if "has expired" in found:
        return NOT_EXPIRED
    return ACTIVE_USER if "inactive or deleted" in found else ACCEPTED
