"""The program: reads the calling environment once, and has the command's own module do the rest."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from installer import exits
from installer.cli import UNITS, parse, parser
from installer.host.caller import environ, login, open_standard_handles
from installer.host.stream import Stream
from installer.version import VERSION
from states.errors import PharosError

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from installer.environment import Caller


def main(argv: Sequence[str] | None = None, program: "Path | None" = None) -> int:
    """Run the command line `argv` of the program whose file is `program`; return the exit code (exits.py)."""
    open_standard_handles()
    words = sys.argv[1:] if argv is None else argv
    args = parse(words, str(program or sys.argv[0]))
    if args.version:
        return _say(f"pharos-hpc {VERSION}")
    if not args.command:
        return _say(parser().format_help())
    from installer.environment import caller

    try:
        return _run(args, words, caller(environ(), login()))
    except PharosError as error:
        from installer.terminal import sentence

        Stream(2).write(sentence(error))
        return exits.REFUSED


def _run(args: "Namespace", words: Sequence[str], caller: "Caller") -> int:
    if args.command in UNITS:
        from installer.following import run_apart

        if (code := run_apart(args, words, caller)) is not None:
            return code
    return _command(args.command)(args, caller)


def _say(text: str) -> int:
    Stream(1).write(text)
    return exits.DONE


def _command(name: str) -> "Callable[[Namespace, Caller], int]":
    from importlib import import_module

    command: Callable[[Namespace, Caller], int] = import_module(f"installer.commands.{name}").main
    return command


if __name__ == "__main__":
    sys.exit(main())
