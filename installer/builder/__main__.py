"""`pharos-hpc-release`: builds the single file, or a whole release archive."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from installer.builder import downloads
from states.errors import PharosError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 built, 1 refused, 2 usage."""
    args = parser().parse_args(argv)
    args.cache = args.cache.expanduser()
    try:
        _single_file(args)
    except PharosError as error:
        hint = f"\n  hint: {error.hint}" if error.hint else ""
        print(f"pharos-hpc-release: {error.message}{hint}", file=sys.stderr)
        return 1
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser("pharos-hpc-release", description="Build what a site gets.")
    verbs = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    verb = verbs.add_parser("single-file", help="build the executable file 'pharos-hpc' only")
    verb.add_argument("output", type=Path, metavar="OUT")
    _cache(verb)
    return top


def _cache(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--cache", type=Path, default=downloads.DEFAULT_CACHE, metavar="DIR", help="downloads (%(default)s)"
    )


def _single_file(args: argparse.Namespace) -> None:
    from installer.builder.single_file import build_single_file

    build_single_file(args.output, args.cache)


if __name__ == "__main__":
    sys.exit(main())
