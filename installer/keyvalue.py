"""Reads strict `KEY=value` and `key: value` lines, and tells everything that is wrong with them at once."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import attrs

from states.errors import Refused

LIMIT: Final = 64 * 1024  # bytes; the largest real file is a manifest in wheelhouse mode, below 16 KiB
_BOM: Final = b"\xef\xbb\xbf"
_Fault = tuple[str, str, str]  # message, required, remedy


@attrs.frozen
class Problem:
    """One fault of a file: where it is, what was found, what is required, what to do; never a secret's value."""

    line: int | None
    key: str | None
    message: str
    required: str
    remedy: str

    def told(self, name: str) -> str:
        """Return the report's line for a file called `name`: `name:line: KEY: found; required: ...; remedy`."""
        place = name if self.line is None else f"{name}:{self.line}"
        subject = f"{place}: {self.key}" if self.key else place
        return f"{subject}: {self.message}; required: {self.required}; {self.remedy}"


class BadLines(Refused):
    """A file of lines cannot be used; `problems` are all its faults in the order of its lines."""

    def __init__(self, name: str, problems: Iterable[Problem]) -> None:
        self.name = name
        self.problems: tuple[Problem, ...] = in_order(problems)
        count = len(self.problems)
        report = [f"cannot use '{name}': {count} problem{'' if count == 1 else 's'}"]
        report += [f"  {problem.told(name)}" for problem in self.problems]
        facts = {"file": name, "problems": [attrs.asdict(problem) for problem in self.problems]}
        super().__init__("\n".join(report), hint=f"correct '{name}' and run the command again", facts=facts)


@attrs.frozen
class Entry:
    """One clean line: `line` counts from 1."""

    key: str
    value: str
    line: int


@attrs.frozen
class Syntax:
    """How a file's lines are written."""

    separator: str  # between key and value
    key: str  # regular expression of a key
    form: str  # as messages call it
    comments: bool  # whether blank lines and lines starting with # may stand between


SITE_ENV: Final = Syntax("=", "[A-Z][A-Z0-9_]*", "KEY=value", comments=True)
MANIFEST: Final = Syntax(": ", "[a-z][a-z0-9_-]*([.][a-z][a-z0-9_-]*)?", "key: value", comments=False)


@attrs.frozen
class Lines:
    """What was read: the clean entries, every key's first line (of faulty lines too), and all problems."""

    entries: tuple[Entry, ...]
    places: dict[str, int]
    problems: tuple[Problem, ...]


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems by line; what belongs to no line comes last."""
    return tuple(sorted(problems, key=lambda problem: (problem.line is None, problem.line or 0)))


def read(data: bytes, syntax: Syntax) -> Lines:
    """Return the entries of `data` and all its problems; raises nothing, whatever the bytes are."""
    if len(data) > LIMIT:
        return Lines((), {}, (_too_large(len(data)),))
    problems = list(_faults_of_file(data))
    entries: list[Entry] = []
    places: dict[str, int] = {}
    for number, line in enumerate(_split(data.removeprefix(_BOM)), start=1):
        entry, faults = _read_line(number, line.rstrip(b"\r"), syntax)
        if entry and entry.key in places:
            faults.append(_duplicate(entry, places[entry.key]))
        if entry and not faults:
            entries.append(entry)
        if entry:
            places.setdefault(entry.key, number)
        problems += faults
    return Lines(tuple(entries), places, in_order(problems))


def unknown(lines: Lines, known: Collection[str], kind: str) -> Iterator[Problem]:
    """Yield a problem for each key of the file that is not `known`; `kind` says whose keys these are."""
    for key, line in lines.places.items():
        if key not in known:
            required = f"only the keys of {kind}"
            yield Problem(line, key, "is not a known key", required, _nearest(key, known))


def missing(lines: Lines, required: Iterable[str], kind: str) -> Iterator[Problem]:
    """Yield a problem for each key that the file must have and has not."""
    for key in required:
        if key not in lines.places:
            yield Problem(None, key, "is missing", f"every key of {kind} that is not optional", "add the line")


def _split(data: bytes) -> list[bytes]:
    """Return the lines, without the nothing that follows the last line end."""
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def _too_large(size: int) -> Problem:
    return Problem(None, None, f"has {size} bytes", f"at most {LIMIT} bytes", "give the right file")


def _duplicate(entry: Entry, first: int) -> Problem:
    message = f"appears again; it first stands in line {first}"
    return Problem(entry.line, entry.key, message, "each key once", "delete one of the lines")


def _nearest(key: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # only a report needs it

    close = get_close_matches(key, known, n=1, cutoff=0.75)
    return f"did you mean '{close[0]}'?" if close else "delete the line"


def _faults_of_file(data: bytes) -> Iterator[Problem]:
    """Yield what concerns the whole file, once instead of for every line."""
    if data.startswith(_BOM):
        yield Problem(1, None, "starts with a byte order mark", "UTF-8 without a mark", "save it without the mark")
    returns = [number for number, line in enumerate(data.split(b"\n"), start=1) if line.endswith(b"\r")]
    if returns:
        more = f", and so do {len(returns) - 1} more" if len(returns) > 1 else ""
        message = f"ends in a carriage return{more}"
        yield Problem(returns[0], None, message, "lines that end in LF", "convert the file, e.g. with dos2unix")


def _read_line(number: int, raw: bytes, syntax: Syntax) -> tuple[Entry | None, list[Problem]]:
    """Return the line's entry, if a key can be told, and its problems; a line without either is a comment."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 at byte {error.start + 1}"
        return None, [Problem(number, None, message, "UTF-8", "write the line again")]
    if syntax.comments and (not text or text.startswith("#")):
        return None, _nul(number, text)
    return _read_text(number, text, syntax)


def _nul(number: int, text: str) -> list[Problem]:
    found = Problem(number, None, "holds a NUL byte", "text", "write the line again")
    return [found] if "\0" in text else []


def _read_text(number: int, text: str, syntax: Syntax) -> tuple[Entry | None, list[Problem]]:
    bare = text.strip()
    exported = syntax.comments and re.match(r"export\s", bare) is not None
    bare = re.sub(r"^export\s+", "", bare) if exported else bare
    key, value = _parted(bare, syntax)
    problems = _nul(number, text)
    problems += [Problem(number, key, *fault) for fault in _faults_of_line(text, exported=exported)]
    if key is None:
        return None, [*problems, _no_key(number, syntax)]
    problems += [Problem(number, key, *fault) for fault in _faults_of_value(value, syntax)]
    if bare[len(key)] != syntax.separator[0]:
        problems.append(_blank_before(number, key, syntax))
    return Entry(key, value, number), problems


def _parted(bare: str, syntax: Syntax) -> tuple[str | None, str]:
    """Return key and value; no key if the line is not of the form (it may be anything, and is never shown)."""
    mark = syntax.separator.strip()
    key, found, rest = bare.partition(mark)
    key = key.rstrip()
    if not found or re.fullmatch(syntax.key, key) is None:
        return None, ""
    return key, rest.removeprefix(syntax.separator[len(mark) :])


def _no_key(number: int, syntax: Syntax) -> Problem:
    message = f"is not a line of the form {syntax.form}"
    allowed = f"{syntax.form}, blank lines and lines starting with #" if syntax.comments else f"{syntax.form}"
    return Problem(number, None, message, allowed, "write one key and its value in the line, or delete it")


def _blank_before(number: int, key: str, syntax: Syntax) -> Problem:
    message = f"has white space before '{syntax.separator.strip()}'"
    return Problem(number, key, message, syntax.form, "delete the white space")


def _faults_of_line(text: str, *, exported: bool) -> Iterator[_Fault]:
    if exported:
        yield "has 'export' before it", "KEY=value: the file is read, never run", "delete the word 'export'"
    if text != text.rstrip():
        yield "has trailing white space", "no white space at the end of a line", "delete it"
    if text != text.lstrip():
        yield "has white space before it", "lines that begin with their key", "delete it"


def _faults_of_value(value: str, syntax: Syntax) -> Iterator[_Fault]:
    if not value:
        yield "has no value", syntax.form, "write the value, or delete the line if the key is optional"
    if value != value.lstrip():
        yield "has white space before its value", syntax.form, "delete the white space"
    if {"'", '"'} & set(value):
        yield "holds a quote", "values without quotes: what is written is the value", "delete the quotes"
    if {"$", "`"} & set(value):
        yield "holds '$' or a backtick", "plain values: nothing is substituted", "write the value itself"
    if value.endswith("\\"):
        yield "ends in a backslash", "one line a key: there is no continuation", "write it in one line"
    if " #" in value:
        yield "has a comment after its value", "comments on lines of their own", "move the comment"
    yield from _invisible(value)


def _invisible(value: str) -> Iterator[_Fault]:
    """Refuse what an eye cannot see: controls, tabs, other blanks, zero-width and direction characters."""
    odd: Sequence[str] = [sign for sign in value if not sign.isprintable() and sign != "\0"]
    if odd:
        message = f"holds the invisible character U+{ord(odd[0]):04X}"
        yield message, "printable characters and single blanks", "type the value again"
