"""The record as JSON: `active-release`, 0644, one object."""

import json
from typing import Any, Final

from installer import jsontext
from states.errors import HostError
from states.plan import Record
from states.unit import AGENTS

_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "release": str,
    "previous": (str, type(None)),
    "components": list,
    "units": list,
    "running": bool,
    "at": str,
    "by": str,
    "transaction": str,
}
HINT: Final = (
    "restore it from a backup, or move it away: then nothing counts as activated, 'pharos-hpc recover' stops the"
    " agents, and 'pharos-hpc activate' starts them again"
)


def render(record: Record) -> bytes:
    """Return the record as the bytes of its file."""
    values = {name: getattr(record, name) for name in _TYPES}
    return (json.dumps(values, indent=2) + "\n").encode()


def parse(data: bytes, name: str) -> Record:
    """Return the record; nothing is coerced.

    Raises:
        HostError: the file `name` is not a record.

    """
    try:
        values = jsontext.loads(data)
    except ValueError as error:
        raise _bad(name, f"it is not JSON: {error}") from error
    if not isinstance(values, dict) or set(values) != set(_TYPES):
        raise _bad(name, f"its keys must be {', '.join(_TYPES)}")
    for key, kind in _TYPES.items():
        if not isinstance(values[key], kind):
            raise _bad(name, f"the value of '{key}' is of the wrong type")
    components, units = _texts(values, "components", name), _texts(values, "units", name)
    if unknown := [unit for unit in units if unit not in AGENTS]:
        raise _bad(name, f"'{unknown[0]}' is no unit of ours")
    return Record(**{**values, "components": components, "units": units})


def _texts(values: dict[str, Any], key: str, name: str) -> tuple[str, ...]:
    if not all(isinstance(item, str) for item in values[key]):
        raise _bad(name, f"the value of '{key}' must be a list of texts")
    return tuple(values[key])


def _bad(name: str, why: str) -> HostError:
    return HostError(f"cannot read the record '{name}': {why}", hint=HINT)
