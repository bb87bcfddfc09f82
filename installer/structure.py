"""Turns a file's texts into typed values with cattrs: every field by the rule in its type, and nothing coerced."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import attrs

from installer.keyvalue import Problem
from installer.rules import Fault, Rule, rule_of

if TYPE_CHECKING:
    from cattrs import Converter


def fields_of(kind: type[attrs.AttrsInstance]) -> "tuple[attrs.Attribute[Any], ...]":
    """Return the fields of a class that are read from a file: those whose type carries a rule."""
    return tuple(field for field in attrs.fields(kind) if _ruled(field.type))


def values(
    kind: type[attrs.AttrsInstance],
    texts: Mapping[str, str],
    keys: Mapping[str, str],
    places: Mapping[str, int],
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values of the fields that `texts` (by key) has, and a problem for each text that breaks its rule.

    `keys` gives the key of each field, `places` the line of each key. Fields are structured one by one, not the
    class at once: so rules between fields can be judged though another field is wrong.
    """
    right: dict[str, Any] = {}
    wrong: list[Problem] = []
    for field in fields_of(kind):
        key = keys[field.name]
        try:
            if key in texts:
                right[field.name] = converter().structure(texts[key], field.type)  # type: ignore[arg-type]
        except Fault as fault:
            wrong.append(Problem(places.get(key), key, fault.message, rule_of(field).required, fault.remedy))
    return right, wrong


@cache
def converter() -> "Converter":
    """Return the converter of our files, made once; only a reader of files pays for the import of cattrs."""
    from cattrs import Converter

    made = Converter(detailed_validation=False, forbid_extra_keys=True)
    made.register_structure_hook_factory(_ruled, _hook)
    for primitive in (str, int, float, bool):
        made.register_structure_hook(primitive, _refuse)
    return made


def _ruled(kind: object) -> bool:
    return get_origin(kind) is Annotated and any(isinstance(note, Rule) for note in get_args(kind))


def _hook(kind: object) -> Callable[[object, object], object]:
    rule = next(note for note in get_args(kind) if isinstance(note, Rule))

    def structure(text: object, _kind: object) -> object:
        return rule.read(text) if isinstance(text, str) else _refuse(text, _kind)

    return structure


def _refuse(value: object, _kind: object) -> object:
    """Refuse what cattrs would coerce: 7 is not "7", and a field without a rule is our mistake."""
    raise Fault(f"is {type(value).__name__} where a rule reads text", "give the text as written in the file")
