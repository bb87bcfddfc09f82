"""The interpreters whose bytecode is shipped: where one is not found, the file falls back to its sources there."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

VERSIONS: Final = ("3.11", "3.12", "3.13")


def interpreters() -> dict[str, Path]:
    """Return the path of a Python for each version that can be found on PATH or in pyenv; keys like `cp313`."""
    return {f"cp{version.replace('.', '')}": found for version in VERSIONS if (found := _find(version))}


def _find(version: str) -> Path | None:
    return next((path for path in _candidates(version) if _is(path, version)), None)


def _candidates(version: str) -> Iterator[Path]:
    for directory in ("/usr/bin", "/usr/local/bin", *os.environ.get("PATH", "").split(os.pathsep)):
        yield Path(directory) / f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted((pyenv / "versions").glob(f"{version}.*/bin/python{version}"))


def _is(path: Path, version: str) -> bool:
    if not path.exists():
        return False
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-I", "-S", "-c", question], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip() == version
