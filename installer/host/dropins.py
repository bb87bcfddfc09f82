"""Drop-in files of an administrator by which a unit of ours would run another program; systemd.unit(5)."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from states.unit import file_of

PROGRAMS: Final = "/opt/pharos-hpc/"  # a command that names one of ours may wrap it: nice, strace


def replacing(units: Path, unit: str) -> str:
    """Return the drop-in with which `unit` runs none of our programs; empty when there is none.

    `units` is the directory of an administrator's unit files. What systemd has loaded may be older than the files.
    """
    by, ours = "", True
    for path in _drop_ins(units, unit):
        for command in _commands(path):
            ours = (ours and command != "") or PROGRAMS in command  # an empty one forgets those before it
            by = "" if ours else str(path)
    return by


def _drop_ins(units: Path, unit: str) -> Iterable[Path]:
    """Return the files in systemd's order: by name; an instance's own counts instead of its template's."""
    found: dict[str, Path] = {}
    for owner in (file_of(unit), unit):
        directory = units / f"{owner}.d"
        found |= {path.name: path for path in directory.glob("*.conf")}
    return [found[name] for name in sorted(found) if found[name].is_file()]  # a link to /dev/null takes one back


def _commands(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8", errors="replace").replace("\\\n", " ")
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip() == "ExecStart":
            yield value.strip()
