"""Which file system a path lies on, from /proc/self/mountinfo (proc_pid_mountinfo(5))."""

import os
from pathlib import Path

import attrs


@attrs.frozen
class Mount:
    """One mount: where, of which kind, with which options (its own and its file system's)."""

    at: str
    kind: str
    options: frozenset[str]


def mount_of(path: Path) -> Mount:
    """Return the mount that holds `path`, or where it will be made; links are followed."""
    while not path.exists():
        path = path.parent
    device = os.stat(path).st_dev
    here = os.path.realpath(path)
    covering = [row for row in _rows() if row[1] == here or here.startswith(row[1].rstrip("/") + "/")]
    same = [row for row in covering if row[0] == f"{os.major(device)}:{os.minor(device)}"] or covering
    _, at, kind, options = max(same, key=lambda row: len(row[1]))
    return Mount(at, kind, options)


def _rows() -> list[tuple[str, str, str, frozenset[str]]]:
    rows = []
    for line in Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines():
        own, _, system = line.partition(" - ")
        fields, of_system = own.split(), system.split()
        at = fields[4].encode().decode("unicode_escape")  # blanks are \\040
        options = frozenset([*fields[5].split(","), *of_system[-1].split(",")])
        rows.append((fields[2], at, of_system[0], options))
    return rows
