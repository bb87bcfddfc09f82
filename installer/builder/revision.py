"""The source revision that a release names: only if what is built is what was committed."""

import shutil
import subprocess
from typing import Final

from installer.builder.single_file import REPOSITORY

UNKNOWN: Final = "unknown"
SHIPPED: Final = ("installer", "states", "units")


def revision() -> str:
    """Return the commit (40 hex digits), or `unknown`: no git, or shipped files that differ from the commit."""
    if not shutil.which("git") or _git("status", "--porcelain", "--", *SHIPPED) != "":
        return UNKNOWN
    return _git("rev-parse", "HEAD") or UNKNOWN


def _git(*words: str) -> str | None:
    command = ["git", "-C", str(REPOSITORY), *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else None
