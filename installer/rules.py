"""What a value of site.env or of the manifest may be: each rule reads text strictly, and says what it requires."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, get_args

import attrs

if TYPE_CHECKING:
    from attrs import Attribute

FIRST_ID: Final = 1000  # login.defs(5): below are system accounts
LAST_ID: Final = 2**31 - 1  # above, signed arithmetic of older tools fails (systemd, docs/UIDS-GIDS)
# The same source: systemd's dynamic users, and the two numbers that mean "nobody" and "not a number" in 16 bits.
RESERVED_IDS: Final = ((61184, 65519), (65534, 65535))
PATH_MAX: Final = 1024
NAME_MAX: Final = 64
SHOWN_MAX: Final = 48


class Fault(ValueError):
    """A value breaks its rule: `message` says how, `remedy` what to write."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


@attrs.frozen
class Rule:
    """`read` turns text into the value or raises Fault; `required` completes "required: ..."."""

    required: str
    read: Callable[[str], object]


@attrs.frozen
class IdRange:
    """User or group ids from `low` to `high`, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high

    def overlaps(self, other: "IdRange") -> bool:
        """Return whether some id is in both ranges."""
        return self.low <= other.high and other.low <= self.high


def rule_of(field: "Attribute[Any]") -> Rule:
    """Return the rule that the field's type carries: `Annotated[type, rule]`."""
    return next(note for note in get_args(field.type) if isinstance(note, Rule))


def written(value: object) -> str:
    """Return how a value stands in a file; the rule that read it reads it back."""
    return " ".join(value) if isinstance(value, tuple) else str(value)


def obeys(_instance: object, field: "Attribute[Any]", value: object) -> None:
    """Hold a field to its rule however the object was made (an attrs validator); the default needs no rule."""
    if value == field.default:
        return
    if rule_of(field).read(written(value)) != value:
        raise Fault(f"'{field.name}' has another type than its rule gives", "give the value as the rule reads it")


def shown(text: str) -> str:
    """Return a public value as a message quotes it: short, and without what could disturb a terminal."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in text)
    return f"'{plain}'" if len(plain) <= SHOWN_MAX else f"'{plain[:SHOWN_MAX]}...'"


def matching(pattern: str, required: str, remedy: str = "") -> Rule:
    """Return the rule that the whole text matches `pattern`."""

    def read(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise Fault(f"cannot use {shown(text)}", remedy or f"write {required}")
        return text

    return Rule(required, read)


def words(required: str, word: str, known: tuple[str, ...] = (), *, needed: str = "", why: str = "") -> Rule:
    """Return the rule of different words with one blank between: each matches `word` and is `known`, if any are."""

    def read(text: str) -> tuple[str, ...]:
        found = tuple(text.split(" "))
        for each in found:
            _judge_word(each, word, known, required)
        if len(set(found)) != len(found):
            raise Fault("names something twice", "write each word once")
        if needed and needed not in found:
            raise Fault(f"does not have '{needed}'", f"add '{needed}': {why}")
        return found

    return Rule(required, read)


def _judge_word(each: str, word: str, known: tuple[str, ...], required: str) -> None:
    if not each:
        raise Fault("has more than one blank between words", "write one blank")
    if re.fullmatch(word, each) is None or (known and each not in known):
        raise Fault(f"cannot use {shown(each)}", f"write {required}")


def one_of(*known: str) -> Rule:
    """Return the rule that the text is one of these words."""
    return matching("|".join(map(re.escape, known)), " or ".join(f"'{word}'" for word in known))


def number(low: int, high: int, what: str) -> Rule:
    """Return the rule of a decimal number from `low` to `high`, written without sign and leading zeros."""
    required = f"{what} from {low} to {high}"

    def read(text: str) -> int:
        if re.fullmatch("0|[1-9][0-9]{0,9}", text) is None or not low <= int(text) <= high:
            raise Fault(f"cannot use {shown(text)}", f"write {required}, in decimal digits")
        return int(text)

    return Rule(required, read)


def _read_id(text: str) -> int:
    value = int(str(_PLAIN_ID.read(text)))
    for low, high in RESERVED_IDS:
        if low <= value <= high:
            raise Fault(f"is in {low}-{high}, which the system keeps for itself", "choose another number")
    return value


def _read_range(text: str) -> IdRange:
    found = re.fullmatch("([1-9][0-9]{0,9})-([1-9][0-9]{0,9})", text)
    if found is None:
        raise Fault(f"cannot use {shown(text)}", "write two decimal numbers with '-' between, without blanks")
    low, high = int(found[1]), int(found[2])
    if low > high:
        raise Fault(f"begins with {low} and ends before it, with {high}", "write the lower number first")
    if low < FIRST_ID or high > LAST_ID:
        raise Fault(f"reaches outside {FIRST_ID}-{LAST_ID}", "choose a range inside")
    return IdRange(low, high)


def _read_path(text: str) -> str:
    if not text.startswith("/"):
        raise Fault("is not an absolute path", "write the path from '/'")
    if re.fullmatch("[A-Za-z0-9/._+@-]+", text) is None:
        raise Fault("holds a character that paths here may not have", "use letters, digits and / . _ + @ -")
    if len(text) > PATH_MAX:
        raise Fault(f"has {len(text)} characters", f"use a path of at most {PATH_MAX}")
    if text == "/" or not _normalised(text[1:]):
        raise Fault("is not normalised", "write it without '//', '/./', '/../' and without '/' at the end")
    return text


def _normalised(path: str) -> bool:
    return not {"", ".", ".."} & set(path.split("/"))


_PLAIN_ID: Final = number(FIRST_ID, LAST_ID, "a number")

ID: Final = Rule("a number that is no system account's (1000-2147483647, not 61184-65519, 65534, 65535)", _read_id)
ID_RANGE: Final = Rule("low-high, no system account's numbers", _read_range)
PATH: Final = Rule("an absolute, normalised path", _read_path)
SITE_NAME: Final = matching("[A-Za-z0-9][A-Za-z0-9-]{0,62}", "letters, digits and '-', 63 at most")
NAME: Final = matching(f"[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{NAME_MAX - 1}}}", "a name of letters, digits, '_', '.' and '-'")
UUID: Final = matching(
    "[0-9a-f]{32}", "32 lowercase hexadecimal characters", "write the UUID in lower case without '-'"
)
