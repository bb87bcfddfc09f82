"""Area `site.env`: the site's configuration."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.keyvalue import BadLines
from installer.site_env import check_against_manifest

SAFE: Final = Rule(
    "PH-SITE-01",
    "site.env is readable and safe",
    "a regular file that only root can write",
    "see what was found",
)
VALID: Final = Rule("PH-SITE-02", "every key of site.env is valid", "docs/site-env.md", "correct the line")
FITS: Final = Rule("PH-SITE-03", "site.env fits the archive", "keys as the manifest's mode needs", "correct the key")
RULES: Final = (SAFE, VALID, FITS)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is wrong with site.env, every line of it."""
    error = subject.site_error
    if isinstance(error, BadLines):
        yield from (VALID.broken(problem.told(error.name)) for problem in error.problems)
    elif error is not None:
        yield SAFE.broken(error.message, error.hint)
    elif subject.site and subject.archive:
        problems = check_against_manifest(subject.site, subject.archive.manifest)
        yield from (FITS.broken(problem.told("site.env")) for problem in problems)
