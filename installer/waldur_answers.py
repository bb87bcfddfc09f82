"""What an answer of Waldur means that is not the one asked for: status by status, as recorded from a real server."""

from typing import Final

from installer.host.http import Answer
from states.errors import PharosError

MEANINGS: Final = {
    301: ("redirects to '{location}'; redirects are never followed", "correct CENTRAL_WALDUR_API_URL in site.env"),
    302: ("redirects to '{location}'; redirects are never followed", "correct CENTRAL_WALDUR_API_URL in site.env"),
    401: ("refuses the token: {detail}", "the provider's owner issues a new token; then run configure"),
    403: ("forbids this to the token's user: {detail}", "the provider's owner grants CUSTOMER.OWNER to the user"),
    404: ("shows no such offering to the token's user", "compare CENTRAL_OFFERING_UUID, and the roles of the user"),
    502: ("is not running behind its gateway", "ask Waldur's operators"),
}


def refusal(answer: Answer) -> PharosError:
    """Return the error that says what was found, with endpoint and status, and who can change it."""
    meaning, hint = MEANINGS.get(answer.status, ("answers something else than expected", "ask Waldur's operators"))
    if not answer.is_json and answer.status not in {301, 302, 502}:
        meaning, hint = "answers with a page, not with JSON", "CENTRAL_WALDUR_API_URL must lead to Waldur's API"
    detail = answer.body.get("detail", "") if isinstance(answer.body, dict) else ""
    words = meaning.format(location=answer.location, detail=detail)
    facts = {"url": answer.url, "status": answer.status}
    return PharosError(f"Waldur {words} (status {answer.status}, '{answer.url}')", hint=hint, facts=facts)
