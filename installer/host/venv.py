"""A component's virtual environment: made, filled and compiled at its final path, since its scripts name that path."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from installer.host import hashing, parallel
from installer.host.process import must, run
from installer.host.tree import walk

SECONDS: Final = 1800.0  # for one pip or one compilation; an index may be slow
QUIET: Final = ("--quiet", "--progress-bar=off", "--root-user-action=ignore", "--no-warn-script-location")
ALONE: Final = ("--isolated", "--no-input", "--disable-pip-version-check", "--no-cache-dir")
PINNED: Final = ("--no-compile", "--require-hashes", "--no-deps", "--only-binary=:all:")
# Ends the program when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG = 1): a pip that outlived a killed
# run would write into what the next run stages at the same path.
TIE: Final = """\
import os, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
except ImportError:
    pass
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


@attrs.frozen
class Source:
    """Where packages come from: the archive's wheels, and in index mode an index (URL), perhaps through a proxy."""

    wheels: Path
    index: str | None = None
    proxy: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """Return pip's options for it."""
        index = ("--index-url", self.index) if self.index else ("--no-index",)
        proxy = ("--proxy", self.proxy) if self.index and self.proxy else ()
        return (*index, *proxy, "--find-links", str(self.wheels))


def make(python: Path, directory: Path) -> None:
    """Make an environment without pip (venv); raise `HostError` when it cannot be made."""
    command = _tied(python, [python, "-I", "-m", "venv", "--without-pip", directory])
    must(run(command, seconds=SECONDS), f"make the virtual environment '{directory}'")


def fill(directory: Path, pip: Path, source: Source, requirements: Path) -> None:
    """Install the hash-pinned requirements with the pip of the archive, which runs out of its wheel.

    pip runs on the environment's own interpreter: that is what `pip --python` does, in a child that we could not end
    with its parent. Its temporary files lie in the environment, so that they vanish with an interrupted staging.

    Raises:
        HostError: a hash differs, a wheel is missing or fits no tag of this Python, or the host refuses.
        OSError: the directory for temporary files cannot be made or removed.

    """
    python, temporary = directory / "bin/python", directory / "tmp"
    os.mkdir(temporary, 0o700)
    options = (*ALONE, *PINNED, *QUIET, *source.options)
    command: list[str | Path] = [python, "-I", pip / "pip", "install", *options, "-r", requirements]
    environment = {"PIP_CONFIG_FILE": os.devnull, "TMPDIR": str(temporary)}
    done = run(_tied(python, command), seconds=SECONDS, environment=environment)
    must(done, f"install '{requirements.name}' into '{directory}'")
    os.rmdir(temporary)


def compile_all(python: Path, directories: Sequence[Path]) -> None:
    """Byte-compile everything below the directories, on at most eight processors: a login node is shared.

    `unchecked-hash` (PEP 552): the same bytes each time, and no look at the source at each import. Several programs
    with a list each, not one with `-j`: the workers of that would outlive it.
    """
    sizes = sorted(((os.stat(path).st_size, path) for each in directories for path in _sources(each)), reverse=True)
    count = min(hashing.cpus(), hashing.WORKERS)
    lists = [[path for _, path in sizes[first::count]] for first in range(count)]
    parallel.every([_compilation(python, paths) for paths in lists if paths])


def _compilation(python: Path, paths: Sequence[str]) -> parallel.Task[None]:
    command: list[str | Path] = [
        python,
        "-I",
        "-W",
        "ignore",
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "unchecked-hash",
        "-i",
        "-",
    ]
    data = os.fsencode("\n".join(paths))

    def compile_them() -> None:
        must(run(_tied(python, command), seconds=SECONDS, stdin=data), "byte-compile the release")

    return compile_them


def _sources(directory: Path) -> list[str]:
    folders = walk(directory).folders
    return [str(directory / each.path / name) for each in folders for name in each.names if name.endswith(".py")]


def _tied(python: Path, command: Sequence[str | Path]) -> list[str | Path]:
    return [python, "-I", "-S", "-c", TIE, str(os.getpid()), *command]
