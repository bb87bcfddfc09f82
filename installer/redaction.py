"""Lines of a program that was given secrets: those that could show a part of one are not passed on."""

from collections.abc import Collection, Iterable

PART = 6  # characters in a row that are taken for a part of a secret
HIDDEN = "(a line that may hold a secret is not shown)"


def redacted(lines: Iterable[str], secrets: Collection[str]) -> list[str]:
    """Return the lines, with HIDDEN for each that holds a secret or PART characters in a row of one."""
    parts = {part for secret in secrets for part in _parts(secret)}
    return [HIDDEN if any(part in line for part in parts) else line for line in lines]


def _parts(secret: str) -> set[str]:
    if len(secret) <= PART:
        return {secret} - {""}
    return {secret[at : at + PART] for at in range(len(secret) - PART + 1)}
