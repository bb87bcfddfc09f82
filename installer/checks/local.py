"""The areas that need this host only: archive, site.env, python, accounts, host, units, space."""

import platform
from collections.abc import Iterator

from installer.archive import is_staged
from installer.checks.rules import Finding
from installer.checks.subject import Subject
from installer.host.accounts import RealAccounts
from installer.host.systemd import RealUnits, lint
from installer.identities import differences
from installer.keyvalue import BadLines
from installer.site_env import check_against_manifest
from installer.stageable import interpreter_faults, room_faults
from states.errors import PharosError, Refused
from states.unit import OURS


def archive(subject: Subject) -> Iterator[Finding]:
    """The unpacked archive that this program lies in."""
    if subject.archive is None:
        yield Finding("PH-ARCHIVE-02", _said(subject.archive_error))
        return
    yield from (Finding("PH-ARCHIVE-01", fault) for fault in subject.archive.damage())
    try:
        is_staged(subject.paths, subject.archive, subject.site_env)
    except Refused as error:
        yield Finding("PH-ARCHIVE-03", error.message)


def site_env(subject: Subject) -> Iterator[Finding]:
    """The site's configuration."""
    error = subject.site_error
    if isinstance(error, BadLines):
        yield from (Finding("PH-SITE-02", problem.told(error.name)) for problem in error.problems)
    elif error is not None:
        yield Finding("PH-SITE-01", error.message)
    elif subject.site and subject.archive:
        problems = check_against_manifest(subject.site, subject.archive.manifest)
        yield from (Finding("PH-SITE-03", problem.told("site.env")) for problem in problems)


def python(subject: Subject) -> Iterator[Finding]:
    """The interpreter that the site provides."""
    if subject.site and subject.archive:
        for fault in interpreter_faults(subject.site, subject.archive.manifest):
            yield Finding("PH-PYTHON-02" if "closed" in fault or "reach" in fault else "PH-PYTHON-01", fault)


def accounts(subject: Subject) -> Iterator[Finding]:
    """The two service identities."""
    if subject.site:
        yield from (Finding("PH-ACCOUNT-01", fault) for fault in differences(RealAccounts(subject.paths), subject.site))


def host(subject: Subject) -> Iterator[Finding]:
    """Operating system, systemd, NSS."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        yield Finding("PH-HOST-01", f"{platform.system()} on {platform.machine()}")
    try:
        RealUnits(subject.paths).states(OURS)
    except PharosError as error:
        yield Finding("PH-HOST-02", error.message)
    try:
        if RealAccounts(subject.paths).find_user("root") is None:
            yield Finding("PH-HOST-03", "getent does not find 'root'")
    except PharosError as error:
        yield Finding("PH-HOST-03", error.message)
    yield Finding("PH-HOST-04", f"{platform.system()} {platform.release()} on {platform.machine()}")


def units(subject: Subject) -> Iterator[Finding]:
    """The archive's unit files, and what an administrator decided about ours."""
    if subject.archive:
        directory = subject.archive.directory / "units"
        yield from (Finding("PH-UNIT-01", fault) for fault in lint(subject.paths, directory))
    for state in RealUnits(subject.paths).states(OURS):
        if state.load == "masked":
            yield Finding("PH-UNIT-02", f"'{state.name}' is masked")


def space(subject: Subject) -> Iterator[Finding]:
    """Room for the release."""
    if subject.archive and not (subject.paths.release(subject.archive.release) / "SHA256SUMS").exists():
        yield from (Finding("PH-SPACE-01", fault) for fault in room_faults(subject.paths, subject.archive))


def _said(error: Refused | None) -> str:
    return error.message if error else ""
