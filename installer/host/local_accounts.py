"""Which numbers this host gives away itself: login.defs(5), and who is in its own passwd(5) and group(5)."""

import re
from collections.abc import Iterator
from typing import Final

from installer.paths import Paths

DEFAULTS: Final = {"UID_MIN": 1000, "UID_MAX": 60000, "GID_MIN": 1000, "GID_MAX": 60000}
SYSTEM_MIN: Final = 101  # SYS_UID_MIN and SYS_GID_MIN; their MAX is one below the least of people
LINE: Final = re.compile(r"^[ \t]*((?:SYS_)?[UG]ID_M(?:IN|AX))[ \t]+(\d{1,10})[ \t]*$", re.MULTILINE)


def login_defs(paths: Paths) -> dict[str, int]:
    """Return the numbers between which useradd(8) and groupadd(8) choose, for people and, by `SYS_`, for the system.

    What is unset has the default that login.defs(5) gives.
    """
    found = {**DEFAULTS, **{key: int(number) for key, number in LINE.findall(_text(paths, "login.defs"))}}
    system = {f"SYS_{kind}_MIN": SYSTEM_MIN for kind in ("UID", "GID")}
    system |= {f"SYS_{kind}_MAX": found[f"{kind}_MIN"] - 1 for kind in ("UID", "GID")}
    return {**system, **found}


def local_names(paths: Paths, database: str) -> frozenset[str]:
    """Return the names in the host's own `passwd` or `group`, whatever else NSS knows."""
    return frozenset(line.partition(":")[0] for line in _text(paths, database).splitlines())


def numbered(rows: str) -> Iterator[tuple[str, int]]:
    """Yield name and number of each row that getent(1) lists."""
    for row in rows.splitlines():
        name, _, rest = row.partition(":")
        number = rest.partition(":")[2].partition(":")[0]
        if number.isascii() and number.isdigit():
            yield name, int(number)


def _text(paths: Paths, name: str) -> str:
    try:
        return (paths.root / "etc" / name).read_text("utf-8", "replace")
    except OSError:
        return ""
