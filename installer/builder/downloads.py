"""Wheels and sdists from the cache, or from the index into the cache; neither is trusted, only the lock's hash."""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from installer.builder import locks, programs
from installer.builder.locks import Pin
from states.errors import Refused

DEFAULT_CACHE: Final = Path("~/.cache/pharos-hpc/wheels")
ABIS: Final = ("cp313", "abi3", "none")
TARGET: Final = (
    "--python-version",
    "3.13",
    "--implementation",
    "cp",
    *(word for abi in ABIS for word in ("--abi", abi)),
)
PLATFORMS: Final = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
WHEEL: Final = ("--only-binary=:all:", *TARGET, *(word for each in PLATFORMS for word in ("--platform", each)))
SDIST: Final = ("--no-binary=:all:", "--no-build-isolation")


def fetch(pins: Sequence[Pin], cache: Path, options: Sequence[str] = WHEEL) -> dict[Pin, Path]:
    """Return the file of each pin, in the cache; only what is missing there is downloaded.

    Raises:
        Refused: the index does not have a file of that hash.
        HostError: pip fails; its output is in the message.

    """
    cache.mkdir(parents=True, exist_ok=True)
    there = found(pins, cache)
    missing = [pin for pin in pins if pin not in there]
    if not missing:
        return there
    _download(missing, cache, options)
    there = found(pins, cache)
    for pin in missing:
        if pin not in there:
            raise Refused(f"cannot find '{pin.name}' {pin.version} with SHA-256 {pin.sha256} on the index")
    return there


def found(pins: Iterable[Pin], directory: Path) -> dict[Pin, Path]:
    """Return those pins whose file, with the right hash, lies in the directory."""
    files = {sha256(path): path for path in sorted(directory.iterdir()) if path.is_file()}
    return {pin: files[pin.sha256] for pin in pins if pin.sha256 in files}


def sha256(path: Path) -> str:
    """Return a file's SHA-256 in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def keep(path: Path, cache: Path) -> Path:
    """Put a file into the cache by rename, so that a killed build leaves no half of one; return its path there."""
    handle, name = tempfile.mkstemp(dir=cache, prefix=".new-")
    os.close(handle)
    shutil.copyfile(path, name)
    Path(name).chmod(0o644)
    return Path(name).replace(cache / path.name)


def by_file_name(files: Mapping[Pin, Path]) -> dict[str, Path]:
    """Return the files by their names, sorted."""
    return {path.name: path for path in sorted(files.values(), key=lambda path: path.name)}


def _download(pins: Sequence[Pin], cache: Path, options: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="pharos-hpc-download-") as directory:
        requirements = Path(directory) / "requirements.txt"
        requirements.write_bytes(locks.render(pins))
        target = Path(directory) / "files"
        pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--no-input", "download"]
        pinned = ["--quiet", "--no-cache-dir", "--no-deps", "--require-hashes", *options]
        programs.run("download the locked files", [*pip, *pinned, "--dest", target, "-r", requirements])
        for path in sorted(target.iterdir()):
            keep(path, cache)
