"""What an answer of Waldur means that is not the one asked for: status by status, as recorded from a real server."""

from typing import Final

from installer.host.http import Answer
from states.errors import PharosError

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
GATEWAY: Final = frozenset({502, 503, 504})
FAILURE: Final = 500  # and above
OPERATORS: Final = "ask Waldur's operators"
ADDRESS: Final = "correct CENTRAL_WALDUR_API_URL in site.env: it must lead to Waldur's API"
PAGE: Final = ("answers with a page, not with JSON", ADDRESS)
NOT_SHOWN: Final = (
    "compare CENTRAL_OFFERING_UUID in site.env; the user needs CUSTOMER.OWNER on the provider organisation itself:"
    " a CUSTOMER.MANAGER of its service provider alone may not see it"
)
MEANINGS: Final = {
    200: ("answers with JSON that is not an offering's", ADDRESS),
    400: ("cannot read the request", "compare CENTRAL_OFFERING_UUID in site.env with the offering"),
    401: ("refuses the token", "the provider's owner issues a new token; then run 'pharos-hpc configure' with it"),
    403: ("forbids this to the token's user", "the provider's owner grants CUSTOMER.OWNER to the user"),
    404: (
        "shows no such offering to the token's user",
        NOT_SHOWN,
    ),
    429: ("is asked too often", "wait a minute, and run the same command again"),
}
SHOWN: Final = 200  # characters of the server's own words that are shown


def refusal(answer: Answer) -> PharosError:
    """Return the error that says what was found, with endpoint and status, and who can change it."""
    meaning, hint = _meaning(answer)
    facts = {"url": answer.url, "status": answer.status}
    return PharosError(
        f"Waldur {meaning}{own_words(answer)} (status {answer.status}, '{answer.url}')", hint=hint, facts=facts
    )


def _meaning(answer: Answer) -> tuple[str, str]:
    if answer.status in REDIRECTS:
        return f"redirects to '{answer.location}'; redirects are never followed", ADDRESS
    if answer.status in GATEWAY:
        return "is not running behind its gateway", OPERATORS
    if answer.status >= FAILURE:
        return "has failed itself", OPERATORS
    if not answer.is_json:
        return PAGE
    return MEANINGS.get(answer.status, ("answers something else than expected", OPERATORS))


def own_words(answer: Answer) -> str:
    """Return what the server says itself (`detail`, of an error only): 'Token has expired.' is worth reading."""
    detail = answer.body.get("detail") if isinstance(answer.body, dict) else None
    if not isinstance(detail, str) or not detail:
        return ""
    return ": " + "".join(sign if sign.isprintable() else "?" for sign in detail[:SHOWN])
