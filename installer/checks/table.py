"""Every area of `check` in the order of its report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from installer.checks import (
    accounts,
    archive,
    directory,
    edge,
    host,
    inputs,
    mounts,
    python,
    releases,
    site_env,
    slurm,
    space,
    units,
    waldur,
)
from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.host.forked import Forked, fork
from states.errors import PharosError

SECONDS: Final = 3600.0  # for one area; each program that it asks has a limit of its own, files are only many


@attrs.frozen
class Area:
    """One area: its rules, and what asks; `begin` starts what takes a while, so that the areas wait together."""

    rules: Sequence[Rule]
    findings: Callable[[Subject, Any], Iterator[Finding]]
    begin: Callable[[Subject], Any]

    def started(self, subject: Subject) -> Any:  # noqa: ANN401  # what its own `findings` takes
        """Return what is under way, or why it could not be started."""
        try:
            return self.begin(subject)
        except PharosError as error:
            return error

    def found(self, subject: Subject, asked: Any) -> list[Finding]:  # noqa: ANN401  # what `started` gave
        """Return the findings; an area that cannot be looked at does not keep the others from being."""
        if isinstance(asked, PharosError):
            return [inputs.VALID.broken(asked.message, asked.hint)]
        try:
            return list(self.findings(subject, asked))
        except PharosError as error:
            return [host.ASKED.broken(error.message, error.hint)]
        except (ValueError, TypeError, AttributeError, KeyError) as error:  # an answer of another shape than any known
            return [host.ASKED.broken(f"cannot understand what was answered: {type(error).__name__}")]


def _here(module: Any) -> Area:  # noqa: ANN401  # a module
    """Return an area that looks at this host: in a process of its own, as most of its time it waits for programs."""

    def begin(subject: Subject) -> Forked[list[Finding]]:
        return fork(lambda: list(module.findings(subject)), None, SECONDS)

    def findings(_: Subject, asked: Forked[list[Finding]]) -> Iterator[Finding]:
        yield from asked.answer()

    return Area(module.RULES, findings, begin)


AREAS: Final[Mapping[str, Area]] = {
    "archive": _here(archive),
    "site.env": _here(site_env),
    "inputs": _here(inputs),
    "python": _here(python),
    "accounts": _here(accounts),
    "host": _here(host),
    "mounts": _here(mounts),
    "units": _here(units),
    "space": _here(space),
    "releases": _here(releases),
    "slurm": _here(slurm),
    "ldap": _here(directory),
    "waldur": Area(waldur.RULES, waldur.findings, waldur.begin),
    "edge": Area(edge.RULES, edge.findings, edge.begin),
}
