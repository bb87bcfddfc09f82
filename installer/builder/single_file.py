"""The single file `pharos-hpc`: a shell preamble and a zip of our code and its pinned dependencies (docs of zipapp).

Inside: `__main__.py`, the modules' sources, their bytecode for each Python that was found when it was built (others run
the sources), and licences. Nothing is ever extracted, so there is no cache whose code root would run.
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from installer.builder import bytecode, downloads, locks, stores

REPOSITORY: Final = Path(__file__).parents[2]
PACKAGES: Final = ("installer", "states")
UNUSED: Final = ("transitions/extensions/", "httpx/_main.py", "cattrs/preconf/")
LICENCES: Final = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "METADATA")


def build_single_file(output: Path, cache: Path) -> None:
    """Write the single file, mode 0755; the wheels come from `cache`, or from the index into it.

    The same sources, locks and interpreters give the same bytes, whatever the umask, the path, the clock.

    Raises:
        PharosError: a wheel is not to be had, or an interpreter fails.

    """
    data = single_file(cache, bytecode.interpreters())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(data)
    output.chmod(0o755)


def single_file(cache: Path, pythons: dict[tuple[int, int], Path]) -> bytes:
    """Return the single file with bytecode of these interpreters."""
    library = {**own_files(), **vendored(cache)}
    main, preamble = (locks.HERE / "start.py").read_bytes(), (locks.HERE / "start.sh").read_bytes()
    return stores.zip_of(library, bytecode.compiled(library, pythons), main, preamble)


def own_files() -> dict[str, bytes]:
    """Return our own sources and the licence."""
    paths = (path for package in PACKAGES for path in sorted((REPOSITORY / package).rglob("*.py")))
    names = {path.relative_to(REPOSITORY).as_posix(): path for path in paths}
    shipped = {name: path.read_bytes() for name, path in names.items() if not name.startswith("installer/builder/")}
    return {**shipped, "LICENSE": (REPOSITORY / "LICENSE").read_bytes()}


def vendored(cache: Path) -> dict[str, bytes]:
    """Return the sources and licences of the locked wheels."""
    wheels = downloads.fetch(locks.read_lock("runtime.lock"), cache)
    return dict(entry for path in downloads.by_file_name(wheels).values() for entry in _of_wheel(path))


def _of_wheel(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as wheel:
        yield from ((name, wheel.read(name)) for name in wheel.namelist() if _is_kept(PurePosixPath(name)))


def _is_kept(path: PurePosixPath) -> bool:
    """Sources and licences; not certifi's list of CAs: only the CA that the site names is ever trusted."""
    if path.parts[0].endswith(".dist-info"):
        return path.name.upper().startswith(LICENCES) or "licenses" in path.parts
    return path.suffix == ".py" and not str(path).startswith(UNUSED)
