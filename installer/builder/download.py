"""Fetching pinned distributions into a cache, verified by hash; a second build needs no network."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from states.errors import HostError

HERE: Final = Path(__file__).parent
FOR_313: Final = (
    *("--python-version", "3.13", "--implementation", "cp", "--abi", "cp313", "--abi", "abi3", "--abi", "none"),
    *("--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_17_x86_64"),
    *("--platform", "manylinux2014_x86_64", "--platform", "any"),
)


@attrs.frozen
class Pin:
    """One line of a lock: a distribution, its version, and the SHA-256 of each file that may be taken."""

    name: str
    version: str
    hashes: tuple[str, ...]

    @property
    def line(self) -> str:
        """Return the pin as a requirement for pip."""
        return f"{self.name}=={self.version} " + " ".join(f"--hash=sha256:{each}" for each in self.hashes)


def read_lock(path: Path) -> tuple[Pin, ...]:
    """Return the pins of a lock file, in the form of pip's requirements with hashes."""
    text = path.read_text("utf-8").replace("\\\n", " ")
    return tuple(_pin(line) for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _pin(line: str) -> Pin:
    words = line.split()
    name, _, version = words[0].partition("==")
    return Pin(name, version, tuple(word.removeprefix("--hash=sha256:") for word in words[1:]))


def fetch(pins: tuple[Pin, ...], cache: Path, *, sdists: bool = False) -> dict[str, Path]:
    """Return the file of each pin by name, downloaded where the cache lacks it.

    Raises:
        HostError: a distribution cannot be had, or is not the one that is pinned.

    """
    cache.mkdir(parents=True, exist_ok=True)
    missing = tuple(pin for pin in pins if _cached(pin, cache) is None)
    if missing:
        _download(missing, cache, sdists=sdists)
    found = {pin.name: path for pin in pins if (path := _cached(pin, cache))}
    if lost := [pin.name for pin in pins if pin.name not in found]:
        raise HostError(
            f"cannot fetch {', '.join(lost)}: no file of the pinned hash", hint="compare the lock with the index"
        )
    return found


def _download(pins: tuple[Pin, ...], cache: Path, *, sdists: bool) -> None:
    requirements = cache / ".requirements.txt"
    requirements.write_text("".join(f"{pin.line}\n" for pin in pins), "utf-8")
    kind = ["--no-binary=:all:", "--no-build-isolation"] if sdists else ["--only-binary=:all:", *FOR_313]
    command = [
        sys.executable,
        "-m",
        "pip",
        "--isolated",
        "--disable-pip-version-check",
        "download",
        "--quiet",
        "--no-deps",
    ]
    done = subprocess.run(
        [*command, "--require-hashes", *kind, "--dest", str(cache), "--requirement", str(requirements)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    if done.returncode:
        raise HostError(f"cannot download: {done.stderr.strip()[-400:]}", hint="the package index must be reachable")


def _cached(pin: Pin, cache: Path) -> Path | None:
    """Return the cached file of one of the pinned hashes, whatever it is called."""
    return next((path for path in _named(pin, cache) if sha256(path) in pin.hashes), None)


def _named(pin: Pin, cache: Path) -> Iterator[Path]:
    wanted = normal(pin.name)
    yield from (path for path in sorted(cache.glob("*-*")) if normal(path.name.split("-")[0]).startswith(wanted[:3]))


def normal(name: str) -> str:
    """Return a distribution's name as file names spell it."""
    return name.lower().replace("-", "_").replace(".", "_")


def sha256(path: Path) -> str:
    """Return the hex SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
