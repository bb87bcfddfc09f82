"""`pharos-hpc-release`: builds the single file, or a whole release archive."""

import argparse
import os
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
        _build(args) if args.command == "build" else _single_file(args)
    except PharosError as error:
        return _say(error.message + (f"\n  hint: {error.hint}" if error.hint else ""))
    except OSError as error:
        return _say(f"cannot use '{error.filename}': {error.strerror}")
    return 0


def _say(text: str) -> int:
    print(f"pharos-hpc-release: {text}", file=sys.stderr)
    return 1


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser("pharos-hpc-release", description="Build what a site gets.")
    verbs = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_build(verbs.add_parser("build", help="build pharos-hpc-<ID>.tar.gz"))
    verb = verbs.add_parser("single-file", help="build the executable file 'pharos-hpc' only")
    verb.add_argument("output", type=Path, metavar="OUT")
    _add_cache(verb)
    return top


def _add_build(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--release", required=True, metavar="ID", help="the id of the release, e.g. 2026.12.1")
    verb.add_argument("--mode", required=True, choices=("wheelhouse", "index"), help="where a site's wheels come from")
    verb.add_argument("--metallo-wheel", required=True, type=Path, metavar="FILE", help="the SSH access agent's wheel")
    verb.add_argument("--output", required=True, type=Path, metavar="DIR", help="where the archive is written")
    verb.add_argument("--unpacked", action="store_true", help="write it as a directory too")
    verb.add_argument("--revision", metavar="HEX", help="source revision (default: git's, if nothing differs from it)")
    settle = "seconds for which a component must stay healthy (site-agent 30, ssh-access 10)"
    verb.add_argument("--settle", action="append", default=[], type=_settle, metavar="COMPONENT=SECONDS", help=settle)
    _add_cache(verb)


def _add_cache(verb: argparse.ArgumentParser) -> None:
    default = downloads.DEFAULT_CACHE
    verb.add_argument("--cache", type=Path, default=default, metavar="DIR", help="of downloads (%(default)s)")


def _settle(text: str) -> tuple[str, int]:
    from installer.manifest import COMPONENTS

    name, _, seconds = text.partition("=")
    if name not in COMPONENTS or not seconds.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not one of {' '.join(COMPONENTS)}, '=', and a number")
    return name, int(seconds)


def _build(args: argparse.Namespace) -> None:
    from installer.builder import archive, programs, provenance, release, revision

    order = release.Order(
        release=args.release,
        mode=args.mode,
        metallo=args.metallo_wheel,
        revision=args.revision or revision.revision(),
        cache=args.cache,
        epoch=int(os.environ.get("SOURCE_DATE_EPOCH", programs.EPOCH)),
        settle=dict(args.settle),
    )
    release.check(order)
    _tell_of_missing_interpreters()
    files = archive.files(order)
    path = archive.write_archive(order, files, args.output)
    digest = downloads.sha256(path)
    statement = path.with_name(f"{path.name}.intoto.json")
    statement.write_bytes(provenance.render(order, release.contents(order), digest))
    print(f"{digest}  {path}")
    if args.unpacked:
        print(archive.write_unpacked(order, files, args.output))


def _single_file(args: argparse.Namespace) -> None:
    from installer.builder.single_file import build_single_file

    _tell_of_missing_interpreters()
    build_single_file(args.output, args.cache)


def _tell_of_missing_interpreters() -> None:
    """Say which Pythons will have to run the sources; without the same Pythons a build is not the same bytes."""
    from installer.builder import bytecode

    found = bytecode.interpreters()
    missing = [f"{major}.{minor}" for major, minor in bytecode.VERSIONS if (major, minor) not in found]
    if missing:
        _say(f"found no Python {', '.join(missing)}: there the single file will start slower, from its sources")


if __name__ == "__main__":
    sys.exit(main())
