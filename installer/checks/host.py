"""Area `host`: operating system, architecture, systemd, NSS."""

import platform
from collections.abc import Iterator
from typing import Final

from installer.checks.rule import FACT, Finding, Rule
from installer.checks.subject import Subject
from installer.host.accounts import RealAccounts
from installer.host.systemd import RealUnits
from states.errors import PharosError
from states.unit import OURS

SYSTEM: Final = Rule("PH-HOST-01", "Linux on a supported architecture", "x86_64 Linux", "use a supported host")
SYSTEMD: Final = Rule(
    "PH-HOST-02", "systemd runs the host", "systemctl answers", "use a host with systemd 252 or newer"
)
NSS: Final = Rule("PH-HOST-03", "NSS answers", "getent finds root", "repair /etc/nsswitch.conf")
WHAT: Final = Rule("PH-HOST-04", "what this host is", "-", "-", FACT)
ASKED: Final = Rule("PH-HOST-05", "the host answers every question", "the programs of the system", "see what was found")
RULES: Final = (SYSTEM, SYSTEMD, NSS, WHAT, ASKED)


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what the host lacks, and what it is."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        yield SYSTEM.broken(f"{platform.system()} on {platform.machine()}")
    try:
        RealUnits(subject.paths).states(OURS)
    except PharosError as error:
        yield SYSTEMD.broken(error.message)
    yield from _nss(subject)
    yield WHAT.broken(f"{platform.system()} {platform.release()} on {platform.machine()}")


def _nss(subject: Subject) -> Iterator[Finding]:
    try:
        if RealAccounts(subject.paths).find_user("root") is None:
            yield NSS.broken("getent does not find 'root'")
    except PharosError as error:
        yield NSS.broken(error.message)
