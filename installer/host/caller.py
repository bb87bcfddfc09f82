"""The calling environment and user, read once; environment.py says what of it counts."""

import os
from collections.abc import Mapping


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
