"""The release archive's files, and the archive as a directory or as `pharos-hpc-<release>.tar.gz`."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from installer.builder import bytecode, completions, downloads, locks, manpage, packing, release, sbom, single_file
from installer.builder.release import Contents, Order
from installer.builder.wheels import Wheel, read_wheel
from installer.manifest import render
from installer.site_env_text import example
from states.unit import UNIT_FILES

PROGRAM: Final = "pharos-hpc"
_README: Final = """\
# pharos-hpc {release}

Verify this archive before anything of it runs. Then, as root on the login node, in this directory:

    install -D -m 644 site.env.example /etc/pharos-hpc/site.env    # and enter the values of your site
    ./pharos-hpc check                           # what would fail, and what to do; changes nothing
    ./pharos-hpc install                         # service identities and this release; starts nothing
    ./pharos-hpc configure TOKEN_DIRECTORY       # configuration, secrets, public CAs
    ./pharos-hpc activate                        # or back to the previous release

`./pharos-hpc --help` and `man man/pharos-hpc.1` tell the rest.
"""


def top(order: Order) -> str:
    """Return the archive's one directory."""
    return f"{PROGRAM}-{order.release}"


def files(order: Order) -> dict[str, bytes]:
    """Return every file of the archive by its path; the same order gives the same bytes.

    Raises:
        PharosError: a wheel is not to be had as locked, or an interpreter fails.

    """
    what = release.contents(order)
    found = {PROGRAM: single_file.single_file(order.cache, bytecode.interpreters())}
    found |= {f"units/{name}": (single_file.REPOSITORY / "units" / name).read_bytes() for name in UNIT_FILES}
    found |= {"manifest": render(release.manifest(order, what)), "site.env.example": example()}
    found |= _for_people(order)
    found |= {f"requirements/{name}.txt": release.requirements(wheels) for name, wheels in what.parts.items()}
    found |= {wheel.archived: wheel.path.read_bytes() for wheel in _carried(what)}
    found["sbom.cdx.json"] = sbom.render(order.release, {**what.parts, **_staging(order, what)}, order.epoch)
    found["LICENSE"] = (single_file.REPOSITORY / "LICENSE").read_bytes()
    return {**found, "SHA256SUMS": sums(found)}


def sums(files: Mapping[str, bytes]) -> bytes:
    """Return the list of all files in sha256sum(1)'s format, sorted."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def write_archive(order: Order, files: Mapping[str, bytes], directory: Path) -> Path:
    """Write `pharos-hpc-<release>.tar.gz` into the directory and return its path."""
    path = directory / f"{top(order)}.tar.gz"
    directory.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packing.gzip_bytes(packing.tar_bytes(files, top(order), order.epoch)))
    return path


def write_unpacked(order: Order, files: Mapping[str, bytes], directory: Path) -> Path:
    """Write the archive as a directory, as tar would unpack it, and return its path; raise OSError if it is there."""
    path = directory / top(order)
    path.mkdir(parents=True)
    bytecode.write_tree(path, files)
    for name, data in files.items():
        (path / name).chmod(packing.mode_of(data))
    return path


def _for_people(order: Order) -> dict[str, bytes]:
    page = single_file.REPOSITORY / "docs/operator.md"
    return {
        "README.md": page.read_bytes() if page.is_file() else _README.format(release=order.release).encode(),
        "man/pharos-hpc.1": manpage.render(order.release),
        "completions/pharos-hpc.bash": completions.bash(),
        "completions/_pharos-hpc": completions.zsh(),
    }


def _carried(what: Contents) -> list[Wheel]:
    return [what.pip, *(wheel for wheels in what.carried.values() for wheel in wheels)]


def _staging(order: Order, what: Contents) -> dict[str, tuple[Wheel, ...]]:
    """Return the wheels of the program itself, and of what stages a release."""
    vendored = downloads.fetch(locks.read_lock("runtime.lock"), order.cache)
    return {PROGRAM: tuple(read_wheel(path) for path in vendored.values()), "staging": (what.pip,)}
