"""The one file that this program is shipped as: a preamble for /bin/sh, then a zip archive for any Python >= 3.11.

The modules lie in it as one stored member for each interpreter, found by offset: an archive of two thousand members
would cost every start the reading of its directory. Nothing is extracted, nothing is written.
"""

import base64
import json
import marshal
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from installer.builder.download import HERE, fetch, read_lock
from installer.builder.interpreters import interpreters

REPOSITORY: Final = HERE.parents[1]
STAMP: Final = (1980, 1, 1, 0, 0, 0)
NOT_SHIPPED: Final = ("installer.builder", "transitions.extensions", "httpx._main", "cattrs.preconf")
LICENCES: Final = ("LICENSE", "LICENCE", "COPYING", "NOTICE")


def build_one_file(output: Path, cache: Path) -> None:
    """Write the file to `output` (0755): the same bytes wherever it is built with the same interpreters."""
    sources, licences = _modules(cache)
    with output.open("wb") as file:
        file.write((HERE / "preamble.sh").read_bytes())
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            _fill(archive, sources, licences)
    output.chmod(0o755)


def _fill(archive: zipfile.ZipFile, sources: Mapping[str, bytes], licences: Mapping[str, bytes]) -> None:
    compiled = {tag: _compiled(python, sources) for tag, python in interpreters().items()}
    for tag, modules in {**compiled, "source": sources}.items():
        index = _blob(archive, tag, modules)
        _member(archive, tag, marshal.dumps(index, 2))
    _member(archive, "tags", " ".join(sorted(compiled)).encode())
    for name, data in sorted(licences.items()):
        _member(archive, f"licences/{name}", data)
    _member(archive, "__main__.py", (HERE / "boot.py").read_bytes())


def _blob(archive: zipfile.ZipFile, tag: str, modules: Mapping[str, bytes]) -> dict[str, tuple[int, int, bool]]:
    """Add the modules as one member; return where each lies in the file: (offset, size, is it a package)."""
    name = f"{tag}.modules"
    _member(archive, name, b"".join(modules[module] for module in sorted(modules)))
    offset = archive.getinfo(name).header_offset + 30 + len(name)
    index = {}
    for module in sorted(modules):
        index[module] = (offset, len(modules[module]), _is_package(module, modules))
        offset += len(modules[module])
    return index


def _member(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, STAMP)
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    archive.writestr(info, data)


def _modules(cache: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the sources of every module that is shipped, by name, and the licences of what is not ours."""
    files = {
        str(path.relative_to(REPOSITORY)): path.read_bytes()
        for top in ("installer", "states")
        for path in (REPOSITORY / top).rglob("*.py")
    }
    licences = {"pharos-hpc/LICENSE": (REPOSITORY / "LICENSE").read_bytes()}
    for name, wheel in fetch(read_lock(HERE / "one_file.lock"), cache).items():
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.endswith(".py"):
                    files[member] = archive.read(member)
                elif ".dist-info/" in member and Path(member).name.upper().startswith(LICENCES):
                    licences[f"{name}/{Path(member).name}"] = archive.read(member)
    return {_module(path): data for path, data in files.items() if _shipped(_module(path))}, licences


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _shipped(module: str) -> bool:
    return not module.startswith(NOT_SHIPPED)


def _is_package(name: str, sources: Mapping[str, bytes]) -> bool:
    return any(other.startswith(f"{name}.") for other in sources)


def _compiled(python: Path, sources: Mapping[str, bytes]) -> dict[str, bytes]:
    question = json.dumps({name: base64.b64encode(data).decode() for name, data in sources.items()})
    command = [str(python), "-I", "-S", str(HERE / "compile_modules.py")]
    done = subprocess.run(command, input=question, capture_output=True, text=True, check=True, timeout=300)
    return {name: base64.b64decode(data) for name, data in json.loads(done.stdout).items()}
