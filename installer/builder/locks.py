"""Lock files: one exactly pinned distribution a line, `name==version --hash=sha256:...`, as pip reads them."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from states.errors import Refused

HERE: Final = Path(__file__).parent
_LINE: Final = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+) --hash=sha256:([0-9a-f]{64})")


@attrs.frozen(order=True)
class Pin:
    """One distribution: its normalised name, its version, and the SHA-256 (hex) of its one file."""

    name: str
    version: str
    sha256: str

    @property
    def requirement(self) -> str:
        """Return the line of a requirements file."""
        return f"{self.name}=={self.version} --hash=sha256:{self.sha256}"


def normalised(name: str) -> str:
    """Return a distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(name: str) -> tuple[Pin, ...]:
    """Return the pins of a lock beside this module, sorted; raise `Refused` at a line that is none."""
    return parse((HERE / name).read_text(encoding="utf-8"), name)


def parse(text: str, name: str) -> tuple[Pin, ...]:
    """Return the pins of a lock's text; blank lines and comments may stand between."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    return tuple(sorted(_pin(line, f"{name}:{number}") for number, line in lines if line and line[0] != "#"))


def render(pins: Iterable[Pin]) -> bytes:
    """Return the pins as a requirements file."""
    return "".join(f"{pin.requirement}\n" for pin in sorted(pins)).encode()


def _pin(line: str, place: str) -> Pin:
    found = _LINE.fullmatch(line)
    if not found:
        raise Refused(f"{place}: cannot read '{line}': required is name==version --hash=sha256:<64 hex>")
    name, version, sha256 = found.groups()
    return Pin(normalised(name), version, sha256)
