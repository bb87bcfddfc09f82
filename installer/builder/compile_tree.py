"""Compiles a tree of sources, run by each Python that the single file carries bytecode for: SOURCES RESULTS."""

import py_compile
import sys
from pathlib import Path
from typing import Final

MODE: Final = py_compile.PycInvalidationMode.UNCHECKED_HASH  # PEP 552: no time in it, and no look at the source


def main(sources: Path, results: Path) -> None:
    """Write `x.pyc` below `results` for each `x.py` below `sources`; what is not of this Python stays source."""
    for source in sorted(sources.rglob("*.py")):
        name = source.relative_to(sources)
        result = results / name.with_suffix(".pyc")
        result.parent.mkdir(parents=True, exist_ok=True)
        try:
            told = f"pharos-hpc/{name}"  # what a traceback calls it
            py_compile.compile(str(source), str(result), told, doraise=True, invalidation_mode=MODE)
        except py_compile.PyCompileError as error:
            print(f"{name} stays source: {error.exc_type_name}")


main(Path(sys.argv[1]), Path(sys.argv[2]))
