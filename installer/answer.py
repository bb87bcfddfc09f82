"""Answers of the commands that change nothing: lines for people, one JSON object with --json."""

from argparse import Namespace
from collections.abc import Iterable, Mapping

from installer.host.stream import Stream


def say(args: Namespace, answer: Mapping[str, object], lines: Iterable[str]) -> None:
    """Write the answer to standard output; a closed one is no reason to fail."""
    if args.json:
        import json

        Stream(1).write(json.dumps(answer, default=str))
        return
    for line in lines:
        Stream(1).write(line)
