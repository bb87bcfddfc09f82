"""The reader of strict lines: what each line may be, and that every fault is told with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from installer import keyvalue
from installer.keyvalue import LIMIT, MANIFEST, SITE_ENV, BadLines, Problem
from tests.installer.site_values import texts

BAD_LINES = {
    "a_nul": (b"A=x\0y", "holds a NUL byte"),
    "a_nul_in_a_comment": (b"# x\0y", "holds a NUL byte"),
    "bytes_that_are_not_utf_8": (b"A=\xff", "is not UTF-8 at byte 3"),
    "an_overlong_encoding": (b"A=\xc0\xaf", "is not UTF-8 at byte 3"),
    "an_encoded_surrogate": (b"A=\xed\xa0\x80", "is not UTF-8 at byte 3"),
    "a_blank_at_the_end": (b"A=x ", "has trailing white space"),
    "a_tab_at_the_end": (b"A=x\t", "has trailing white space"),
    "a_no_break_space_at_the_end": ("A=x\u00a0".encode(), "has trailing white space"),
    "a_blank_before_the_key": (b" A=x", "has white space before it"),
    "a_blank_before_the_sign": (b"A =x", "has white space before '='"),
    "a_blank_before_the_value": (b"A= x", "has white space before its value"),
    "double_quotes": (b'A="x"', "holds a quote"),
    "single_quotes": (b"A='x'", "holds a quote"),
    "a_substitution": (b"A=$HOME", "holds '$' or a backtick"),
    "a_command": (b"A=`id`", "holds '$' or a backtick"),
    "a_continuation": (b"A=x\\", "ends in a backslash"),
    "a_comment_after_the_value": (b"A=x # y", "has a comment after its value"),
    "an_export": (b"export A=x", "has 'export' before it"),
    "no_sign": (b"A", "is not a line of the form KEY=value"),
    "no_key": (b"=x", "is not a line of the form KEY=value"),
    "a_small_key": (b"a=x", "is not a line of the form KEY=value"),
    "a_key_that_begins_with_a_digit": (b"1A=x", "is not a line of the form KEY=value"),
    "a_key_of_other_letters": ("\u0410=x".encode(), "is not a line of the form KEY=value"),
    "no_value": (b"A=", "has no value"),
    "a_tab_inside": (b"A=x\ty", "holds the invisible character U+0009"),
    "an_escape": (b"A=\x1b[31m", "holds the invisible character U+001B"),
    "a_lone_carriage_return": (b"A=x\rB=y", "holds the invisible character U+000D"),
    "a_zero_width_space": ("A=x\u200by".encode(), "holds the invisible character U+200B"),
    "a_direction_override": ("A=x\u202ey".encode(), "holds the invisible character U+202E"),
    "a_line_separator": ("A=x\u2028y".encode(), "holds the invisible character U+2028"),
}


@pytest.mark.parametrize(("line", "message"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_line_is_refused_that_has(line: bytes, message: str) -> None:
    lines = keyvalue.read(b"# first\n" + line + b"\nB=x\n", SITE_ENV)
    assert [(problem.line, problem.message) for problem in lines.problems] == [(2, message)]
    assert texts(lines.entries) == {"B": "x"}


def test_a_byte_order_mark_is_refused_and_the_first_line_read_all_the_same() -> None:
    lines = keyvalue.read(b"\xef\xbb\xbfA=x\n", SITE_ENV)
    assert [problem.message for problem in lines.problems] == ["starts with a byte order mark"]
    assert texts(lines.entries) == {"A": "x"}


def test_carriage_returns_at_line_ends_are_one_problem_however_many_they_are() -> None:
    lines = keyvalue.read(b"A=x\nB=y\r\n\r\nC=z\r\n", SITE_ENV)
    assert [(p.line, p.message) for p in lines.problems] == [(2, "ends in a carriage return, and so do 2 more")]
    assert texts(lines.entries) == {"A": "x", "B": "y", "C": "z"}


def test_a_key_that_stands_twice_is_refused_with_both_lines() -> None:
    (problem,) = keyvalue.read(b"A=x\n\nA=x\n", SITE_ENV).problems
    assert (problem.line, problem.key, problem.message) == (3, "A", "appears again; it first stands in line 1")


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_refused() -> None:
    body = b"A=" + b"x" * (LIMIT - 3) + b"\n"
    assert keyvalue.read(body, SITE_ENV).problems == ()
    (problem,) = keyvalue.read(body + b"\n", SITE_ENV).problems
    assert problem.message == f"has {LIMIT + 1} bytes"


def test_blank_lines_and_comments_may_stand_between_lines_of_site_env() -> None:
    lines = keyvalue.read(b"\n# export A='$x' \\\n\nA=x=y#z\nB=a b", SITE_ENV)
    assert lines.problems == ()
    assert texts(lines.entries) == {"A": "x=y#z", "B": "a b"}
    assert lines.places == {"A": 4, "B": 5}


@pytest.mark.parametrize("line", [b"", b"# x", b"a:x", b"A: x", b"a.b.c: x", b"a=x"], ids=repr)
def test_a_manifest_has_neither_comments_nor_blank_lines_nor_other_forms(line: bytes) -> None:
    lines = keyvalue.read(b"x: y\n" + line + b"\nz: y\n", MANIFEST)
    assert {problem.line for problem in lines.problems} <= {2}
    assert texts(lines.entries).keys() <= {"x", "z", "a"}
    assert bool(lines.problems) or line == b"a:x"


def test_all_faults_of_one_line_are_told() -> None:
    lines = keyvalue.read(b" export A = '$x' \\ ", SITE_ENV)
    assert [problem.line for problem in lines.problems] == [1] * 8


def test_what_is_no_line_of_the_form_is_never_shown() -> None:
    (problem,) = keyvalue.read(b"psb_s3cr3t\n", SITE_ENV).problems
    assert "s3cr3t" not in problem.told("site.env")


def test_a_report_has_one_line_for_each_problem_and_the_place_in_front() -> None:
    second = Problem(9, "A", "is odd", "even numbers", "halve it")
    first = Problem(None, None, "has 0 bytes", "some", "write it")
    error = BadLines("/etc/x", [first, second])
    assert error.message == (
        "cannot use '/etc/x': 2 problems\n"
        "  /etc/x:9: A: is odd; required: even numbers; halve it\n"
        "  /etc/x: has 0 bytes; required: some; write it"
    )
    assert error.problems == (second, first)


@given(st.binary(max_size=300), st.sampled_from([SITE_ENV, MANIFEST]))
def test_no_bytes_crash_the_reader(data: bytes, syntax: keyvalue.Syntax) -> None:
    keyvalue.read(data, syntax)


@given(st.text(alphabet="AB=:ab \t\r\n#'$\\\0\u200b\ufeffexport", max_size=80), st.sampled_from([SITE_ENV, MANIFEST]))
def test_every_line_is_an_entry_or_a_problem_or_a_comment(text: str, syntax: keyvalue.Syntax) -> None:
    lines = keyvalue.read(text.encode(), syntax)
    told = {entry.line for entry in lines.entries} | {problem.line for problem in lines.problems}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        assert number in told or not line.rstrip("\r") or line.startswith("#") or syntax is MANIFEST
