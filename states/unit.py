"""The units that are ours: names and order are fixed (spec 06), so nothing is ever found by globbing."""

from typing import Final

import attrs

SITE_AGENT: Final = "waldur-site-agent@.service"
SSH_ACCESS: Final = "pharos-ssh-access-agent.service"
RECOVER: Final = "pharos-hpc-recover.service"

UNIT_FILES: Final = (RECOVER, SITE_AGENT, SSH_ACCESS)
MODES: Final = ("order_process", "membership_sync", "report")


def instance(mode: str) -> str:
    """Return the unit that runs one mode of the site agent, e.g. `waldur-site-agent@report.service`."""
    return SITE_AGENT.replace("@", f"@{mode}")


# event_process is upstream's fourth mode: we never start it, but it would hold an old release all the same.
AGENTS: Final = (*(instance(mode) for mode in (*MODES, "event_process")), SSH_ACCESS)
OURS: Final = (RECOVER, *AGENTS)


def file_of(unit: str) -> str:
    """Return the unit file that `unit` is loaded from: its template, if it is an instance."""
    name, at, rest = unit.partition("@")
    return f"{name}@.service" if at and rest else unit


@attrs.frozen
class UnitState:
    """What systemd says of one unit, and which release its main process was started from (read from /proc)."""

    name: str
    load: str = "not-found"  # loaded, not-found, masked, bad-setting, error
    active: str = "inactive"  # active, activating, deactivating, inactive, failed
    enabled: bool = False
    stale: bool = False  # NeedDaemonReload: the file on disk is not the one loaded
    pid: int = 0
    release: str | None = None
    invocation: str = ""
    restarts: int = 0
    since: str = ""
    replaced: str = ""  # an administrator's drop-in by which it runs none of our programs

    @property
    def origin(self) -> str:
        """Return what its main process was started from, in words; an administrator's drop-in may have chosen it."""
        return f"release '{self.release}'" if self.release else "no release of ours"

    def runs(self, release: str) -> bool:
        """Return whether the unit is active and its main process belongs to `release`."""
        return self.active == "active" and self.release == release
