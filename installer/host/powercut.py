"""A file system in a file, mounted where nobody else sees it, whose power is cut before the n-th call of a process."""

import fcntl
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from installer.host import durable
from installer.host.process import find, must, run
from installer.paths import Paths
from states.errors import HostError, Refused

FS_IOC_SHUTDOWN: Final = 0x8004587D  # include/uapi/linux/fs.h; its argument is one of the two below
FLUSHES: Final = {"log flushed": 1, "nothing flushed": 2}
MEGABYTES: Final = {"ext4": 32, "xfs": 320}  # mkfs.xfs refuses less than 300
CLONE_NEWNS: Final = 0x00020000  # unshare(2)
MS_REC_PRIVATE: Final = 0x4000 | 0x40000  # mount(2)
CALLS: Final = ("rename", "symlink", "unlink", "mkdir", "chmod", "fchmod", "write", "fsync")
SECONDS: Final = 60.0
MACHINE: Final = Paths(Path("/"))


@attrs.frozen
class Disk:
    """A file system of `kind` (ext4, xfs) in the file `image`, mounted at `mount`."""

    kind: str
    image: Path
    mount: Path

    def format(self) -> None:
        """Make it anew, empty, and mount it."""
        self.mount.mkdir(parents=True, exist_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(MEGABYTES[self.kind] << 20)
        _program(f"mkfs.{self.kind}", "-q", "-f" if self.kind == "xfs" else "-F", str(self.image))
        self.attach()

    def keep(self) -> None:
        """Keep it, unmounted, as it is now."""
        self.detach()
        _program("cp", "--sparse=always", str(self.image), f"{self.image}.kept")

    def bring_back(self) -> None:
        """Have it as it was kept, and mount it."""
        _program("cp", "--sparse=always", f"{self.image}.kept", str(self.image))
        self.attach()

    def attach(self) -> None:
        """Mount it; the loop device is freed with the mount."""
        _program("mount", "-o", "loop", str(self.image), str(self.mount))

    def detach(self) -> None:
        """Unmount it."""
        _program("umount", str(self.mount))

    def cut(self, flush: int) -> None:
        """Cut its power: what is not on disk is lost, and it answers EIO from now on."""
        handle = os.open(self.mount, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(handle, FS_IOC_SHUTDOWN, struct.pack("I", flush))
        finally:
            os.close(handle)


def withdraw() -> None:
    """Take this process into a mount namespace of its own; its mounts end with it.

    Raises:
        HostError: the kernel refuses.

    """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0 or libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None) != 0:
        raise HostError(f"cannot have a mount namespace of its own: {os.strerror(ctypes.get_errno())}")


def usable(kind: str) -> bool:
    """Return whether this machine can make a file system of this kind."""
    try:
        find(MACHINE, f"mkfs.{kind}")
    except HostError:
        return False
    return True


def cut_before(number: int, disk: Disk, flush: int, work: Callable[[], object]) -> tuple[bool, int]:
    """Do `work` in a child whose disk loses power before its call of this number (from 0).

    Returns whether the cut came before the end (else it comes after it), and how many calls there were.
    """
    seen = os.memfd_create("calls")
    pid = os.fork()
    if pid == 0:
        _be_cut(number, disk, flush, work, seen)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    calls = int(os.pread(seen, 20, 0) or b"0")
    os.close(seen)
    if status == 0:
        disk.cut(flush)
    elif status != -signal.SIGKILL:
        raise HostError(f"cannot go on: the activation under test ended with status {status}")
    return status != 0, calls


def apart(work: Callable[[], object]) -> int:
    """Do `work` in a child that knows nothing of earlier runs, and return its exit status: 0 unless it raised."""
    pid = os.fork()
    if pid == 0:
        _end_with(work)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextmanager
def scratch(directory: Path) -> Iterator[Path]:
    """Give a directory of our own below `directory`; nothing of it is left, also after SIGTERM.

    Raises:
        Refused: there is no such directory.

    """
    import shutil
    import tempfile

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        home = Path(tempfile.mkdtemp(prefix="pharos-hpc-selftest-", dir=directory))
    except OSError as error:
        raise Refused(f"cannot use '{directory}': {error.strerror}", hint="give an existing directory") from error
    try:
        yield home
    finally:
        run([find(MACHINE, "umount"), "--quiet", home / "mount"], seconds=SECONDS)
        shutil.rmtree(home, ignore_errors=True)


def _be_cut(number: int, disk: Disk, flush: int, work: Callable[[], object], seen: int) -> None:
    count, told = 0, os.pwrite

    def before() -> None:
        nonlocal count
        if count == number:
            disk.cut(flush)
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1
        told(seen, str(count).encode(), 0)

    for name in CALLS:
        setattr(os, name, _counted(getattr(os, name), before))
    _end_with(work)


def _counted(really: Callable[..., object], before: Callable[[], None]) -> Callable[..., object]:
    def call(*words: object, **options: object) -> object:
        before()
        return really(*words, **options)

    return call


def _end_with(work: Callable[[], object]) -> None:
    try:
        work()
    except BaseException:  # noqa: BLE001  # a child ends here, whatever it met
        os._exit(1)
    os._exit(0)


def _program(name: str, *words: str) -> None:
    must(run([find(MACHINE, name), *words], seconds=SECONDS), f"run {name}")


def enable_names(paths: Paths, units: tuple[str, ...], *, wanted: bool) -> None:
    """Do to the unit directory what `systemctl enable` and `disable` do, and then what we do after it."""
    wants = paths.units / "multi-user.target.wants"
    os.makedirs(wants, exist_ok=True)
    for name in units:
        if os.path.lexists(wants / name) != wanted:
            os.symlink(paths.units / name, wants / name) if wanted else os.unlink(wants / name)
    durable.pin_units(paths)


def enabled_names(paths: Paths) -> frozenset[str]:
    """Return which units are enabled."""
    wants = paths.units / "multi-user.target.wants"
    return frozenset(os.listdir(wants)) if wants.is_dir() else frozenset()


def lay_release(paths: Paths, release: str, files: dict[str, bytes]) -> None:
    """Install a release of these files (by relative path), complete and durable."""
    from installer.host import seal, tree

    for name, data in files.items():
        seal.write(paths.release(release) / name, data)
    tree.write_sums(paths.release(release))
