"""What is taken from the calling environment: a sandbox root, the terminal's manners, who is calling; nothing else."""

import re
from collections.abc import Mapping
from pathlib import Path

import attrs

from installer.paths import Paths
from states.errors import Refused


@attrs.frozen
class Caller:
    """The caller: `columns` is the terminal's width in characters, `operator` the login name behind sudo."""

    paths: Paths
    operator: str
    term: str
    no_color: bool
    columns: int

    @property
    def sandboxed(self) -> bool:
        """Return whether everything happens below a sandbox root."""
        return self.paths.root != Path("/")


def caller(environ: Mapping[str, str], login: str) -> Caller:
    """Return the caller, given the process environment and the login name of the real user id.

    Raises:
        Refused: PHAROS_HPC_ROOT is not the absolute path of a directory.

    """
    columns = environ.get("COLUMNS", "")
    return Caller(
        paths=Paths(_root(environ.get("PHAROS_HPC_ROOT", ""))),
        operator=environ.get("SUDO_USER") or login,
        term=environ.get("TERM", ""),
        no_color=bool(environ.get("NO_COLOR")),
        columns=int(columns) if re.fullmatch("[1-9][0-9]{0,3}", columns) else 80,
    )


def _root(value: str) -> Path:
    if not value:
        return Path("/")
    path = Path(value)
    if not path.is_absolute() or ".." in path.parts or path == Path("/"):
        raise Refused(f"cannot use PHAROS_HPC_ROOT='{value}': it must be an absolute path of a sandbox directory")
    return path
