"""Part of area `accounts`: the numbers of members and projects, which nobody else may give away (spec 06)."""

from collections.abc import Iterator, Mapping
from typing import Final

from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.host import local_accounts
from installer.host.accounts import RealAccounts
from installer.paths import Paths
from installer.rules import IdRange
from installer.site_env import SiteEnv

NOT_GIVEN: Final = Rule(
    "PH-ACCOUNT-02",
    "this host gives no number of a member or project to others",
    "the ranges of site.env outside of UID_MIN to UID_MAX and GID_MIN to GID_MAX of login.defs",
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
RULES: Final = (NOT_GIVEN, FREE, TAKEN)
SHOWN: Final = 3  # names of accounts or groups


def findings(paths: Paths, site: SiteEnv) -> Iterator[Finding]:
    """Yield what else gives, or has, numbers of the three ranges."""
    yield from _given(local_accounts.login_defs(paths), site)
    accounts = RealAccounts(paths)
    for database, ranges in _ranges(site).items():
        local, rows = local_accounts.local_names(paths, database), accounts.listed(database)
        for key, numbers in ranges.items():
            names = [name for name, number in local_accounts.numbered(rows) if number in numbers]
            yield from _held(f"{key} ({numbers})", database, [name for name in names if name in local], FREE)
            yield from _held(f"{key} ({numbers})", database, [name for name in names if name not in local], TAKEN)


def _ranges(site: SiteEnv) -> Mapping[str, Mapping[str, IdRange]]:
    groups = {"MEMBER_GID_RANGE": site.member_gid_range, "PROJECT_GID_RANGE": site.project_gid_range}
    return {"passwd": {"MEMBER_UID_RANGE": site.member_uid_range}, "group": groups}


def _given(numbers: Mapping[str, int], site: SiteEnv) -> Iterator[Finding]:
    for database, ranges in _ranges(site).items():
        kind = "UID" if database == "passwd" else "GID"
        given = IdRange(numbers[f"{kind}_MIN"], numbers[f"{kind}_MAX"])
        for key, wanted in ranges.items():
            if wanted.overlaps(given):
                yield NOT_GIVEN.broken(f"{key} ({wanted}) overlaps {kind}_MIN to {kind}_MAX of login.defs ({given})")


def _held(where: str, database: str, names: list[str], rule: Rule) -> Iterator[Finding]:
    if names:
        what = "accounts" if database == "passwd" else "groups"
        more = ", ..." if len(names) > SHOWN else ""
        yield rule.broken(f"{len(names)} {what} in {where}: {', '.join(names[:SHOWN])}{more}")
