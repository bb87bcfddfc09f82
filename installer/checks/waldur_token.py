"""What Waldur says to the token: accepted, or refused for one of few reasons (recorded bodies of 401, 403, 404)."""

from typing import Final

from installer.checks.rule import Finding, Rule
from installer.host.http import Answer
from installer.waldur_answers import own_words

NEW: Final = "the provider's owner issues a new token; run 'pharos-hpc configure' with it"
ACCEPTED: Final = Rule("PH-WALDUR-10", "Waldur knows the token", "a token of a user", NEW)
NOT_EXPIRED: Final = Rule("PH-WALDUR-11", "the token has not expired", "a token that is in use, or without end", NEW)
ACTIVE_USER: Final = Rule(
    "PH-WALDUR-12", "the token's user is active", "an active user", "Waldur's operators activate the user"
)
EXISTS: Final = Rule(
    "PH-WALDUR-13",
    "there is an offering of this id",
    "the offering of CENTRAL_OFFERING_UUID, shown to who has a role on its provider",
    "compare CENTRAL_OFFERING_UUID in site.env with the offering's page in Waldur",
)
ALLOWED: Final = Rule("PH-WALDUR-14", "the token's user may ask", "200", "the provider's owner grants CUSTOMER.OWNER")
ARRIVES: Final = Rule(
    "PH-WALDUR-15",
    "the token arrives at Waldur",
    "the header Authorization as it was sent",
    "ask who runs the proxy or gateway that takes it away",
)
BUSY: Final = Rule("PH-WALDUR-16", "Waldur is not asked too often", "no 429", "wait a minute, and check again")
EXPECTED: Final = Rule(
    "PH-WALDUR-17", "Waldur answers as is known of it", "200, 401, 403 or 404", "see what it says; ask its operators"
)
RULES: Final = (ACCEPTED, NOT_EXPIRED, ACTIVE_USER, EXISTS, ALLOWED, ARRIVES, BUSY, EXPECTED)
OK: Final = 200
UNAUTHORIZED: Final = 401
NOT_FOUND: Final = 404
OTHERS: Final = {403: ALLOWED, NOT_FOUND: EXISTS, 429: BUSY}
SAYINGS: Final = {  # of a 401
    "has expired": NOT_EXPIRED,
    "inactive or deleted": ACTIVE_USER,
    "credentials were not provided": ARRIVES,
}


def refused(answer: Answer) -> Finding | None:
    """Return why the token got no answer; None when it got one."""
    if answer.status == OK:
        return None
    said = own_words(answer)
    return _rule(answer.status, said).broken(f"status {answer.status}{said} ('{answer.url}')")


def _rule(status: int, said: str) -> Rule:
    if status == UNAUTHORIZED:
        return next((rule for words, rule in SAYINGS.items() if words in said), ACCEPTED)
    return OTHERS.get(status, EXPECTED)
