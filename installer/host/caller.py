"""The calling environment and user, read once; environment.py says what of it counts."""

import os
from collections.abc import Mapping


def open_standard_handles() -> None:
    """Put /dev/null where 0, 1 or 2 is closed: else the next file opened would be taken for standard output."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:  # noqa: PLR2004  # stdin(3)
        pass
    os.close(handle)


def environ() -> Mapping[str, str]:
    """Return the process environment."""
    return os.environ


def login() -> str:
    """Return the login name of the real user id, or the number where it has none."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
