"""Part of area `accounts`: whether somebody else may give away the numbers of members, projects and the identities."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from installer import identities
from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.host import local_accounts
from installer.host.accounts import RealAccounts
from installer.paths import Paths
from installer.rules import IdRange
from installer.site_env import SiteEnv

NOT_GIVEN: Final = Rule(
    "PH-ACCOUNT-02",
    "this host gives no number of a member or project to others",
    "the ranges of site.env outside of those of login.defs, also of its SYS_ ones",
    "lower UID_MAX or GID_MAX in /etc/login.defs, or have other ranges from Waldur's pool",
    WARNING,
)
FREE: Final = Rule(
    "PH-ACCOUNT-03",
    "no local account or group has a number of a member or project",
    "numbers in these ranges in the directory alone",
    "give the local account or group another number",
    WARNING,
)
TAKEN: Final = Rule("PH-ACCOUNT-04", "who has a number of these ranges in the directory already", "-", "-", FACT)
OURS: Final = Rule(
    "PH-ACCOUNT-05",
    "this host gives no number of an identity to others before it exists",
    "numbers of site.env outside of login.defs' ranges, also of its SYS_ ones",
    "install soon, or choose other numbers in site.env",
    WARNING,
)
RULES: Final = (NOT_GIVEN, FREE, TAKEN, OURS)
SHOWN: Final = 3  # names of accounts or groups


def findings(paths: Paths, site: SiteEnv) -> Iterator[Finding]:
    """Yield what else gives, or has, numbers of the three ranges; and what gives those of the identities (spec 06)."""
    accounts, given = RealAccounts(paths), _given(local_accounts.login_defs(paths))
    yield from _overlaps(given, site)
    yield from _unborn(accounts, given, site)
    for database, ranges in _ranges(site).items():
        local, rows = local_accounts.local_names(paths, database), accounts.listed(database)
        for key, numbers in ranges.items():
            names = [name for name, number in local_accounts.numbered(rows) if number in numbers]
            yield from _held(f"{key} ({numbers})", database, [name for name in names if name in local], FREE)
            yield from _held(f"{key} ({numbers})", database, [name for name in names if name not in local], TAKEN)


def _ranges(site: SiteEnv) -> Mapping[str, Mapping[str, IdRange]]:
    groups = {"MEMBER_GID_RANGE": site.member_gid_range, "PROJECT_GID_RANGE": site.project_gid_range}
    return {"passwd": {"MEMBER_UID_RANGE": site.member_uid_range}, "group": groups}


def _given(numbers: Mapping[str, int]) -> Sequence[tuple[str, str, IdRange]]:
    """Return each range that this host gives away: the database, what login.defs calls the range, its numbers."""
    kinds = (("passwd", "UID"), ("passwd", "SYS_UID"), ("group", "GID"), ("group", "SYS_GID"))
    return [
        (database, f"{kind}_MIN to {kind}_MAX", IdRange(numbers[f"{kind}_MIN"], numbers[f"{kind}_MAX"]))
        for database, kind in kinds
        if numbers[f"{kind}_MIN"] <= numbers[f"{kind}_MAX"]
    ]


def _overlaps(given: Sequence[tuple[str, str, IdRange]], site: SiteEnv) -> Iterator[Finding]:
    for database, what, numbers in given:
        for key, wanted in _ranges(site)[database].items():
            if wanted.overlaps(numbers):
                yield NOT_GIVEN.broken(f"{key} ({wanted}) overlaps {what} of login.defs ({numbers})")


def _unborn(accounts: RealAccounts, given: Sequence[tuple[str, str, IdRange]], site: SiteEnv) -> Iterator[Finding]:
    """A number that is taken is not given again (useradd(8)): by an identity it is right, by others PH-ACCOUNT-01."""
    for each in identities.wanted(site):
        mine = {"passwd": (each.uid_key, each.uid), "group": (each.gid_key, each.gid)}
        find = {"passwd": accounts.find_uid, "group": accounts.find_gid}
        for database, what, numbers in given:
            key, number = mine[database]
            if number in numbers and find[database](number) is None:
                yield OURS.broken(f"{key} ({number}) is within {what} of login.defs ({numbers})")


def _held(where: str, database: str, names: list[str], rule: Rule) -> Iterator[Finding]:
    if names:
        what = "accounts" if database == "passwd" else "groups"
        more = ", ..." if len(names) > SHOWN else ""
        yield rule.broken(f"{len(names)} {what} in {where}: {', '.join(names[:SHOWN])}{more}")
