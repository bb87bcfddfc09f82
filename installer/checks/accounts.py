"""Area `accounts`: the two service identities, and the numbers of those that the agents make."""

from collections.abc import Iterator
from typing import Final

from installer.checks import ranges
from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.host.accounts import RealAccounts
from installer.identities import differences

AS_WANTED: Final = Rule(
    "PH-ACCOUNT-01",
    "the identities exist as wanted or not at all",
    "the numbers of site.env, free in NSS",
    "choose free numbers in site.env, or correct the account",
)
RULES: Final = (AS_WANTED, *ranges.RULES)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what is in the way of the identities, and of the members' and projects' numbers."""
    if subject.site:
        yield from (AS_WANTED.broken(fault) for fault in differences(RealAccounts(subject.paths), subject.site))
        yield from ranges.findings(subject.paths, subject.site)
