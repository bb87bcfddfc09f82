"""Where everything of ours lies on the host; the only module that spells a path."""

from pathlib import Path

import attrs

RELEASES = "releases"


@attrs.frozen
class Paths:
    """All paths, below one root: `/` on a host, a directory in a sandbox (PHAROS_HPC_ROOT)."""

    root: Path

    @property
    def opt(self) -> Path:
        """Return the directory of releases and links."""
        return self.root / "opt/pharos-hpc"

    @property
    def releases(self) -> Path:
        """Return the directory that holds one directory a release."""
        return self.opt / RELEASES

    def release(self, release: str) -> Path:
        """Return the directory of one installed release."""
        return self.releases / release

    @property
    def etc(self) -> Path:
        """Return the directory of site.env, the agents' environment files and the published CAs."""
        return self.root / "etc/pharos-hpc"

    @property
    def site_env(self) -> Path:
        """Return the site's one configuration file."""
        return self.etc / "site.env"

    @property
    def sigstore_trust(self) -> Path:
        """Return the site's own root of trust for signatures, where it has one (Sigstore's TrustedRoot)."""
        return self.etc / "sigstore-trust.json"

    @property
    def secrets(self) -> Path:
        """Return the directory of the private inputs (0700 root)."""
        return self.etc / "secrets"

    @property
    def units(self) -> Path:
        """Return the directory of an administrator's unit files (systemd.unit(5))."""
        return self.root / "etc/systemd/system"

    @property
    def state(self) -> Path:
        """Return the directory of the record and the history."""
        return self.root / "var/lib/pharos-hpc"

    @property
    def record(self) -> Path:
        """Return the record: what was last committed."""
        return self.state / "active-release"

    @property
    def history(self) -> Path:
        """Return the file of past runs, one JSON object a line."""
        return self.state / "history.jsonl"

    @property
    def lock(self) -> Path:
        """Return the lock file, on a file system that a reboot empties."""
        return self.root / "run/pharos-hpc/lock"

    @property
    def runs(self) -> Path:
        """Return the directory of the events of runs that are units of their own (0700 root)."""
        return self.root / "run/pharos-hpc/runs"

    @property
    def journal_socket(self) -> Path:
        """Return the journal's native socket (systemd-journald.service(8))."""
        return self.root / "run/systemd/journal/socket"

    @property
    def step_log(self) -> Path:
        """Return the JSON step log, used where there is no journal."""
        return self.root / "var/log/pharos-hpc/steps.jsonl"

    @property
    def programs(self) -> tuple[Path, ...]:
        """Return the directories in which programs of the operating system are looked up; never the caller's PATH."""
        return tuple(self.root / name for name in ("usr/sbin", "usr/bin", "sbin", "bin"))
