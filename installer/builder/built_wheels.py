"""The wheels that the index does not have, built from their sdists with pinned tools: the same bytes each time."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from installer.builder import bytecode, downloads, locks, programs
from installer.builder.locks import Pin
from states.errors import Refused

PYTHON: Final = (3, 13)  # the agents'; its version is in the wheels' names
PIP: Final = ("-m", "pip", "--isolated", "--disable-pip-version-check", "--no-input")
SOURCE: Final = ("--no-binary=:all:", "--require-hashes", "--no-deps", "--no-build-isolation", "--no-cache-dir")


def names() -> frozenset[str]:
    """Return the names of the distributions that are built here."""
    return frozenset(pin.name for pin in locks.read_lock("sdists.lock"))


def fetch(pins: Sequence[Pin], cache: Path) -> Mapping[Pin, Path]:
    """Return the wheel of each pin, built into the cache if it is not there.

    Raises:
        Refused: what was built has another hash than the lock says, or there is no Python 3.13 to build it.
        HostError: pip or a build fails.

    """
    cache.mkdir(parents=True, exist_ok=True)
    there = downloads.found(pins, cache)
    if len(there) == len(pins):
        return there
    with tempfile.TemporaryDirectory(prefix="pharos-hpc-build-") as directory:
        for path in _build(Path(directory), cache):
            downloads.keep(path, cache)
    there = downloads.found(pins, cache)
    if wrong := [pin for pin in pins if pin not in there]:
        listed = ", ".join(f"{pin.name} {pin.version}" for pin in wrong)
        raise Refused(
            f"cannot build {listed} as locked: the wheel has another hash", hint="build on Python 3.13, x86_64"
        )
    return there


def _pip() -> tuple[str | Path, ...]:
    python = sys.executable if sys.version_info[:2] == PYTHON else bytecode.interpreters().get(PYTHON)
    if python is None:
        raise Refused("cannot build wheels for Python 3.13: there is none", hint="install python3.13")
    return (python, *PIP)


def _build(directory: Path, cache: Path) -> list[Path]:
    pip = _pip()
    tools, wheels, sources = directory / "tools", directory / "wheels", directory / "sdists.txt"
    pinned = downloads.fetch(locks.read_lock("tools.lock"), cache)
    sources.write_bytes(locks.render(locks.read_lock("sdists.lock")))
    into: list[str | Path] = ["--quiet", "--no-index", "--no-deps", "--target", tools]
    programs.run("install the build tools", [*pip, "install", *into, *pinned.values()])
    wheel: list[str | Path] = [*pip, "wheel", "--quiet", *SOURCE, "--wheel-dir", wheels, "-r", sources]
    programs.run("build the wheels", wheel, PYTHONPATH=str(tools))
    return sorted(wheels.iterdir())
