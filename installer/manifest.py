"""What a release is made of: the strict reader of its `manifest`, in the archive and as installed."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

import attrs

from installer import keyvalue, rules
from installer.keyvalue import BadLines, Lines, Problem
from installer.rules import Fault, Rule
from states.unit import UNIT_FILES

COMPONENTS: Final = ("site-agent", "ssh-access")  # accounts and paths are fixed for these (spec 06)
SETTLE_MAX: Final = 600  # seconds
RESERVED_RELEASES: Final = ("current", "previous")  # names of the links beside the releases
_FILE: Final = "[A-Za-z0-9][A-Za-z0-9._+-]{0,200}"
_WHEEL_PATH: Final = rf"wheels/{_FILE}[.]whl"


class BadManifest(BadLines):
    """A manifest cannot be used; `problems` are all its faults."""


def _read_release(text: str) -> str:
    if text in RESERVED_RELEASES:
        raise Fault(f"cannot use {rules.shown(text)}: it is the name of a link", "name the release otherwise")
    return str(_RELEASE_FORM.read(text))


_RELEASE_FORM: Final = rules.matching(
    "[A-Za-z0-9][A-Za-z0-9._-]{0,63}", "a letter or digit, then letters, digits, '.', '_', '-', 64 at most"
)
RELEASE: Final = Rule(f"{_RELEASE_FORM.required}, and neither 'current' nor 'previous'", _read_release)
FORMAT: Final = rules.number(1, 1, "the format this program reads:")
MODE: Final = rules.one_of("index", "wheelhouse")
COMPONENT_LIST: Final = rules.words(f"different components of {' '.join(COMPONENTS)}", "[a-z-]+", COMPONENTS)
PYTHON: Final = rules.matching(">=3[.](0|[1-9][0-9]{0,2})", "'>=3.' and a number, e.g. '>=3.13'")
REVISION: Final = rules.matching("[0-9a-f]{40}|unknown", "40 lowercase hexadecimal characters, or 'unknown'")
PIP: Final = rules.matching(rf"wheels/pip-{_FILE}[.]whl", "a wheel of pip, wheels/pip-....whl")
REQUIREMENTS: Final = rules.matching(rf"requirements/{_FILE}[.]txt", "a file of requirements/ that ends in .txt")
WHEELS: Final = rules.words("different files of wheels/ that end in .whl", _WHEEL_PATH)
UNITS: Final = rules.words(f"different units of {' '.join(UNIT_FILES)}", "[a-z@.-]+", UNIT_FILES)
SETTLE: Final = rules.number(0, SETTLE_MAX, "seconds")
PROOF: Final = rules.matching(".{1,200}", "a text of at most 200 characters")


@attrs.frozen(kw_only=True)
class Component:
    """One component of a release: its files (paths inside the archive), its units, and how it proves itself."""

    name: str
    requirements: Annotated[str, REQUIREMENTS] = attrs.field(validator=rules.obeys)
    wheels: Annotated[tuple[str, ...], WHEELS] = attrs.field(default=(), validator=rules.obeys)
    units: Annotated[tuple[str, ...], UNITS] = attrs.field(validator=rules.obeys)
    settle_seconds: Annotated[int, SETTLE] = attrs.field(validator=rules.obeys)
    proof: Annotated[str | None, PROOF] = attrs.field(default=None, validator=rules.obeys)


@attrs.frozen(kw_only=True)
class Manifest:
    """A release as its manifest states it; `units` are unit files of the host itself, `components` in file order."""

    format_version: Annotated[int, FORMAT] = attrs.field(default=1, validator=rules.obeys)
    release: Annotated[str, RELEASE] = attrs.field(validator=rules.obeys)
    dependency_mode: Annotated[str, MODE] = attrs.field(validator=rules.obeys)
    components: tuple[Component, ...]
    python_requires: Annotated[str, PYTHON] = attrs.field(validator=rules.obeys)
    source_revision: Annotated[str, REVISION] = attrs.field(validator=rules.obeys)
    pip_wheel: Annotated[str, PIP] = attrs.field(validator=rules.obeys)
    units: Annotated[tuple[str, ...], UNITS] = attrs.field(validator=rules.obeys)

    @property
    def minimum_python(self) -> tuple[int, int]:
        """Return the first Python version that will do, e.g. (3, 13)."""
        major, minor = self.python_requires.removeprefix(">=").split(".")
        return int(major), int(minor)

    def component(self, name: str) -> Component:
        """Return the component of that name; raises KeyError if the release does not ship it."""
        for component in self.components:
            if component.name == name:
                return component
        raise KeyError(name)


_FIELDS_WITH_OTHER_KEY: Final = {"format_version": "format"}
_PLAIN: Final = tuple(field.name for field in attrs.fields(Manifest) if field.name != "components")
_OF_COMPONENT: Final = tuple(field.name for field in attrs.fields(Component) if field.name != "name")
_REQUIRED_OF_COMPONENT: Final = ("requirements", "units", "settle_seconds")
_KEYS: Final = {name: _FIELDS_WITH_OTHER_KEY.get(name, name) for name in _PLAIN}


def _keys_of(component: str) -> dict[str, str]:
    return {field: f"{component}.{field}" for field in _OF_COMPONENT}


def read_manifest(data: bytes, name: str) -> Manifest:
    """Return the release that the manifest's bytes describe; `name` is what messages call the file (spec 04).

    Raises BadManifest with every problem of the file.
    """
    lines = keyvalue.read(data, keyvalue.MANIFEST)
    texts = {entry.key: entry.value for entry in lines.entries}
    names, problems = _component_names(texts, lines)
    right, parts, wrong = _values(names, texts, lines)
    problems += [*lines.problems, *wrong, *_between(right, parts, lines)]
    if lines.places or not problems:  # a file that is too large was not read: nothing is known of its keys
        problems += _keys(names, lines)
    if problems:
        raise BadManifest(name, problems)
    return Manifest(**right, components=tuple(Component(name=each, **part) for each, part in parts.items()))


def _component_names(texts: dict[str, str], lines: Lines) -> tuple[tuple[str, ...], list[Problem]]:
    """Return the components; those that the file has keys of, when the line itself is no help."""
    try:
        if "components" in texts:
            return _as_words(COMPONENT_LIST.read(texts["components"])), []
        wrong = []
    except Fault as fault:
        place = lines.places["components"]
        wrong = [Problem(place, "components", fault.message, COMPONENT_LIST.required, fault.remedy)]
    mentioned = {key.partition(".")[0] for key in lines.places}
    return tuple(name for name in COMPONENTS if name in mentioned), wrong


def _as_words(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _values(
    names: Iterable[str], texts: dict[str, str], lines: Lines
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], list[Problem]]:
    """Return the right values of the manifest and of each component, and the problems of the others."""
    from installer.structure import values

    right, problems = values(Manifest, texts, _KEYS, lines.places)
    parts: dict[str, dict[str, Any]] = {}
    for name in names:
        parts[name], wrong = values(Component, texts, _keys_of(name), lines.places)
        problems += wrong
    return right, parts, problems


def _keys(names: Iterable[str], lines: Lines) -> Iterator[Problem]:
    """Yield the unknown and the missing keys, which depend on the components."""
    known = {"components", *_KEYS.values()}.union(*(_keys_of(name).values() for name in names))
    required = ["components", *_KEYS.values(), *(f"{name}.{key}" for name in names for key in _REQUIRED_OF_COMPONENT)]
    yield from keyvalue.unknown(lines, known, "a manifest with these components")
    yield from keyvalue.missing(lines, required, "a manifest")


def _between(right: dict[str, Any], parts: dict[str, dict[str, Any]], lines: Lines) -> Iterator[Problem]:
    """Yield what two right values make wrong: a unit of two owners, a wheelhouse without wheels."""
    owners: dict[str, str] = {}
    for key, units in [
        ("units", right.get("units", ())),
        *((f"{n}.units", p.get("units", ())) for n, p in parts.items()),
    ]:
        for unit in units:
            if owners.setdefault(unit, key) != key:
                required = "one owner for each unit file"
                message = f"names '{unit}', which '{owners[unit]}' has already"
                yield Problem(lines.places.get(key), key, message, required, "delete the word in one of the lines")
    for name in parts if right.get("dependency_mode") == "wheelhouse" else ():
        if f"{name}.wheels" not in lines.places:
            required = "the wheels of each component in dependency_mode wheelhouse"
            yield Problem(None, f"{name}.wheels", "is missing", required, "build the release again")


def render(manifest: Manifest) -> bytes:
    """Return a manifest that reads back as `manifest`."""
    names = " ".join(component.name for component in manifest.components)
    pairs = [*_pairs(manifest, _KEYS), ("components", names)]
    for component in manifest.components:
        pairs += _pairs(component, _keys_of(component.name))
    return "".join(f"{key}: {text}\n" for key, text in pairs).encode()


def _pairs(part: Manifest | Component, keys: dict[str, str]) -> list[tuple[str, str]]:
    """Return key and text of each value; an empty one has no line."""
    found = ((key, getattr(part, field)) for field, key in keys.items())
    return [(key, rules.written(value)) for key, value in found if value not in (None, ())]
