"""The names in a directory that somebody else filled."""

import os
from pathlib import Path

from states.errors import Refused


def names(directory: Path, *, hint: str = "") -> tuple[str, ...]:
    """Return the names in a directory, sorted; raise `Refused` when there is none, or it cannot be read."""
    try:
        return tuple(sorted(os.listdir(directory)))
    except OSError as error:
        why = f"cannot read the directory '{directory}': {error.strerror}"
        raise Refused(why, hint=hint, facts={"path": str(directory)}) from error
