"""Area `host`: operating system, architecture, systemd, NSS, SELinux."""

import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from installer.checks.rule import FACT, Finding, Rule
from installer.checks.subject import Subject
from installer.host.accounts import RealAccounts
from installer.host.process import find, must, run
from installer.host.systemd import RealUnits
from states.errors import PharosError
from states.unit import OURS

SYSTEM: Final = Rule("PH-HOST-01", "Linux on a supported architecture", "x86_64 Linux", "use a supported host")
SYSTEMD: Final = Rule(
    "PH-HOST-02", "systemd runs the host", "systemctl answers", "use a host with systemd 252 or newer"
)
NSS: Final = Rule("PH-HOST-03", "NSS answers", "getent finds root", "repair /etc/nsswitch.conf")
WHAT: Final = Rule("PH-HOST-04", "what this host is", "-", "-", FACT)
ASKED: Final = Rule("PH-HOST-05", "the host answers", "the programs of the system", "see what was found")
RECENT: Final = Rule("PH-HOST-06", "systemd is recent enough", "252 or newer", "use a host with a newer systemd")
SELINUX: Final = Rule("PH-HOST-07", "whether SELinux decides too", "-", "label /opt/pharos-hpc for the agents", FACT)
RULES: Final = (SYSTEM, SYSTEMD, NSS, WHAT, ASKED, RECENT, SELINUX)
OLDEST: Final = 252  # of systemd: LoadCredential as our units use it
SECONDS: Final = 20.0


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what the host lacks, and what it is."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        yield SYSTEM.broken(f"{platform.system()} on {platform.machine()}")
    try:
        RealUnits(subject.paths).states(OURS)
        yield from _version(subject)
    except PharosError as error:
        yield SYSTEMD.broken(error.message)
    yield from _nss(subject)
    yield WHAT.broken(f"{_name(subject)}, {platform.system()} {platform.release()} on {platform.machine()}")
    if (mode := _selinux(subject)) != "":
        yield SELINUX.broken(f"SELinux is {mode}")


def _version(subject: Subject) -> Iterator[Finding]:
    done = must(run([find(subject.paths, "systemctl"), "--version"], seconds=SECONDS), "ask systemd for its version")
    number = re.match(r"systemd (\d+)", done.stdout)
    if number and int(number[1]) < OLDEST:
        yield RECENT.broken(f"systemd {number[1]}")


def _nss(subject: Subject) -> Iterator[Finding]:
    try:
        if RealAccounts(subject.paths).find_user("root") is None:
            yield NSS.broken("getent does not find 'root'")
    except PharosError as error:
        yield NSS.broken(error.message)


def _name(subject: Subject) -> str:
    """Return the operating system's name (os-release(5))."""
    for path in ("etc/os-release", "usr/lib/os-release"):
        if found := re.search(r'^PRETTY_NAME="?(.*?)"?$', _text(subject.paths.root / path), re.MULTILINE):
            return found[1]
    return "an unnamed system"


def _selinux(subject: Subject) -> str:
    """Return the mode of SELinux (selinux(8)); empty where there is none."""
    mode = _text(subject.paths.root / "sys/fs/selinux/enforce").strip()
    return {"1": "enforcing", "0": "permissive"}.get(mode, "")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
