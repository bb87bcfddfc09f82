"""Area `mounts`: the file systems of /opt, /etc and /var must be written to, run programs, and survive a reboot."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.checks.subject import Subject
from installer.host.mounts import mount_of

WRITABLE: Final = Rule("PH-MOUNT-01", "our directories can be written to", "no mount option ro", "mount -o remount,rw")
EXECUTABLE: Final = Rule(
    "PH-MOUNT-02", "programs run from /opt/pharos-hpc", "no mount option noexec", "mount -o remount,exec"
)
LASTING: Final = Rule(
    "PH-MOUNT-03", "a reboot keeps what is installed", "no tmpfs, ramfs or overlay", "use a disk", WARNING
)
LOCAL: Final = Rule("PH-MOUNT-04", "our directories are this host's own", "no network file system", "-", FACT)
RULES: Final = (WRITABLE, EXECUTABLE, LASTING, LOCAL)
FLEETING: Final = frozenset({"tmpfs", "ramfs", "overlay"})
NETWORK: Final = frozenset({"nfs", "nfs4", "cifs", "lustre", "gpfs", "beegfs", "ceph", "9p", "fuse.sshfs", "afs"})


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what the mounts of our directories forbid."""
    paths = subject.paths
    for directory in (paths.opt, paths.etc, paths.state):
        mount = mount_of(directory)
        where = f"'{directory}' lies on '{mount.at}' ({mount.kind})"
        if "ro" in mount.options:
            yield WRITABLE.broken(f"{where}, which is read-only")
        if directory == paths.opt and "noexec" in mount.options:
            yield EXECUTABLE.broken(f"{where}, which is noexec")
        if mount.kind in FLEETING:
            yield LASTING.broken(where)
        if mount.kind in NETWORK:
            yield LOCAL.broken(where)
