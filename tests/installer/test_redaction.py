"""Lines that could show a part of a secret are not passed on."""

from hypothesis import given
from hypothesis import strategies as st

from installer.redaction import HIDDEN, PART, redacted


@given(st.text(min_size=PART, max_size=40), st.text(max_size=20), st.integers(0, 40))
def test_no_part_of_a_secret_gets_through(secret: str, around: str, at: int) -> None:
    part = secret[min(at, len(secret) - PART) :][:PART]
    assert redacted([around + part + around], [secret]) == [HIDDEN]


def test_a_short_secret_is_hidden_whole_and_an_empty_one_hides_nothing() -> None:
    assert redacted(["pin 4711 accepted", "plain"], ["4711"]) == [HIDDEN, "plain"]
    assert redacted(["plain", ""], [""]) == ["plain", ""]


def test_other_lines_stay_as_they_are() -> None:
    lines = ["HTTP Error 403", "short"]
    assert redacted(lines, ["a-long-secret-of-somebody"]) == lines
