"""The command line's words as data, read from its parser: what the man page and the completions are made of."""

import argparse
from collections.abc import Iterable

import attrs

from installer.cli import parser


@attrs.frozen
class Option:
    """One option or argument: `flags` are empty for an argument; `value` is its placeholder, empty for a switch."""

    flags: tuple[str, ...]
    value: str
    help: str
    choices: tuple[str, ...]


@attrs.frozen
class Verb:
    """One command with its options and arguments."""

    name: str
    help: str
    options: tuple[Option, ...]
    arguments: tuple[Option, ...]


def general() -> tuple[Option, ...]:
    """Return the options that stand before a command."""
    return tuple(_options(parser()))


def verbs() -> tuple[Verb, ...]:
    """Return every command, in the order of the help."""
    (group,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001
    told = {each.dest: each.help or "" for each in group._choices_actions}  # noqa: SLF001
    return tuple(_verb(name, told[name], verb) for name, verb in group.choices.items())


def _verb(name: str, text: str, verb: argparse.ArgumentParser) -> Verb:
    found = tuple(_options(verb))
    options = tuple(each for each in found if each.flags)
    return Verb(name, text, options, tuple(each for each in found if not each.flags))


def _options(of: argparse.ArgumentParser) -> Iterable[Option]:
    for action in of._actions:  # noqa: SLF001
        if not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            yield _option(action)


def _option(action: argparse.Action) -> Option:
    switch = bool(action.option_strings) and action.nargs == 0
    choices = tuple(str(each) for each in action.choices or ())
    value = "" if switch else str(action.metavar or "|".join(choices) or action.dest.upper())
    return Option(tuple(action.option_strings), value, action.help or "", choices)
