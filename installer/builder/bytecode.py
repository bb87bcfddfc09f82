"""Bytecode for the single file: one tree for each Python found on the building machine, the same bytes each time."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from installer.builder import programs

VERSIONS: Final = ((3, 11), (3, 12), (3, 13))
_COMPILER: Final = Path(__file__).with_name("compile_tree.py")
_ASK: Final = "import sys; print(*sys.version_info[:2])"


def interpreters() -> dict[tuple[int, int], Path]:
    """Return a Python of each version that is found: on PATH, as pyenv or uv install it, or in the usual places."""
    found = {version: next(_working(version), None) for version in VERSIONS}
    return {version: path for version, path in found.items() if path}


def versions() -> dict[str, str]:
    """Return the full version of each interpreter that compiles here: the same bytes need the same ones."""
    ask = "import sys; print(sys.version.split()[0])"
    told = ((path, programs.run(f"ask '{path}'", [path, "-I", "-S", "-c", ask])) for path in interpreters().values())
    return {text.strip().rpartition(".")[0]: text.strip() for _, text in told}


def compiled(files: Mapping[str, bytes], pythons: Mapping[tuple[int, int], Path]) -> dict[str, bytes]:
    """Return `cpXY/x.pyc` for each `x.py` of the files and each interpreter (PEP 552, unchecked-hash)."""
    with tempfile.TemporaryDirectory(prefix="pharos-hpc-compile-") as directory:
        sources = Path(directory) / "sources"
        write_tree(sources, {name: data for name, data in files.items() if name.endswith(".py")})
        results: dict[str, bytes] = {}
        for (major, minor), python in pythons.items():
            tag = f"cp{major}{minor}"
            target = Path(directory) / tag
            # isolated (-I) would also ignore PYTHONHASHSEED, on which the order of constants may depend
            programs.run(f"compile with '{python}'", [python, "-P", "-s", "-S", "-B", _COMPILER, sources, target])
            results |= {f"{tag}/{name}": data for name, data in read_tree(target).items()}
        return results


def write_tree(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their relative paths."""
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def read_tree(directory: Path) -> dict[str, bytes]:
    """Return all files of a directory by their relative paths, sorted."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


def _working(version: tuple[int, int]) -> Iterator[Path]:
    for path in _candidates(f"{version[0]}.{version[1]}"):
        asked = subprocess.run([path, "-I", "-S", "-c", _ASK], check=False, capture_output=True, text=True, timeout=60)
        if asked.returncode == 0 and asked.stdout.split() == [str(number) for number in version]:
            yield path


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    for directory in ("/usr/bin", "/usr/local/bin"):
        yield from (Path(directory) / each for each in (name,) if (Path(directory) / each).exists())
    yield from sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/{name}"))
    yield from sorted(Path("~/.local/share/uv/python").expanduser().glob(f"cpython-{version}.*/bin/{name}"))
    if on_path := shutil.which(name):
        yield Path(on_path)
