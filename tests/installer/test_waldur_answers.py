"""Each status of Waldur says what was found, and who can change it."""

import pytest

from installer.host.http import Answer
from installer.waldur_answers import MEANINGS, SHOWN, refusal
from states.errors import PharosError

URL = "https://waldur.example.org/api/x/"


def told(status: int, body: object = None, *, location: str = "", json: bool = True) -> PharosError:
    kind = "application/json" if json else "text/html"
    return refusal(Answer(url=URL, status=status, content_type=kind, body=body, location=location))


@pytest.mark.parametrize("status", MEANINGS)
def test_a_status_says_what_it_means_and_who_can_change_it(status: int) -> None:
    error = told(status, {})
    assert MEANINGS[status][0] in error.message
    assert error.hint == MEANINGS[status][1]
    assert error.facts == {"url": URL, "status": status}
    assert error.message.endswith(f"(status {status}, '{URL}')")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_names_where_it_leads_and_is_not_followed(status: int) -> None:
    error = told(status, location="https://login.example.org/")
    assert "redirects to 'https://login.example.org/'; redirects are never followed" in error.message
    assert "CENTRAL_WALDUR_API_URL" in error.hint


@pytest.mark.parametrize(("status", "what"), [(500, "failed itself"), (501, "failed itself"), (502, "gateway"),
                                              (503, "gateway"), (504, "gateway")])  # fmt: skip
def test_a_failure_of_waldur_is_for_its_operators(status: int, what: str) -> None:
    error = told(status, json=False)
    assert what in error.message
    assert error.hint == "ask Waldur's operators"


def test_a_page_is_no_answer() -> None:
    assert "answers with a page, not with JSON" in told(200, json=False).message


def test_an_unknown_status_is_told_as_such() -> None:
    assert "answers something else than expected" in told(418, {}).message


def test_waldurs_own_words_are_shown_within_a_bound() -> None:
    assert ": Token has expired. (status 401" in told(401, {"detail": "Token has expired."}).message
    assert "y" * SHOWN in told(403, {"detail": "y" * 5000}).message
    assert "y" * (SHOWN + 1) not in told(403, {"detail": "y" * 5000}).message
    assert told(403, {"detail": ["no", "text"]}).message == told(403, ["a list"]).message
