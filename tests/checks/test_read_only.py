"""`check` changes nothing: by its system calls, by the tree before and after, on a read-only file system."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from fixtures import launch
from fixtures.site import Site
from fixtures.small_release import install_small_release
from installer import exits
from tests.checks.test_local import Host, archive, host

__all__ = ["archive", "host"]  # the fixtures of a host on which nothing is wrong

CALLS = (
    "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,"
    "symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,mknod,mknodat,setxattr,"
    "fsetxattr,lsetxattr,utime,utimes,utimensat,futimesat,mount,umount2,fallocate"
)
HARMLESS = re.compile(r'"/proc/|"/dev/(null|tty|pts)|memfd:|slurm-state\.json|run/systemd|/\.coverage')
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")


def snapshot(root: Path) -> Mapping[str, tuple[object, ...]]:
    """Return everything about every entry but its access time; the stand-in's own state is no matter of ours."""
    found = {}
    for path in (root, *root.rglob("*")):
        name = str(path.relative_to(root))
        if name.startswith(("run/systemd", "usr/lib/slurm", "var/log/journal")):
            continue
        stat = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else os.fsencode(path)
        found[name] = (stat.st_mode, stat.st_uid, stat.st_gid, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, data)
    return found


def mutations(text: str) -> list[str]:
    """Return the lines of a trace that could have changed something outside of /proc, devices, and memory."""
    found = []
    for line in text.splitlines():
        call = re.search(r"\b([a-z0-9_]+)\(", line)
        if call is None or " = -1 " in line or HARMLESS.search(line):
            continue
        if not call[1].startswith(("open", "creat")) or WRITES.search(line):
            found.append(line)
    return found


def test_a_trace_with_a_change_in_it_is_seen() -> None:
    assert mutations('12 openat(AT_FDCWD, "/etc/x", O_WRONLY|O_CREAT, 0644) = 3')
    assert mutations('12 rename("/etc/x", "/etc/y") = 0')
    assert not mutations('12 openat(AT_FDCWD, "/etc/x", O_RDONLY|O_CLOEXEC) = 3\n12 mkdir("/x", 0755) = -1 EEXIST')


def test_no_system_call_of_check_or_its_children_changes_anything(host: Host, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    words = launch.launched(host.archive / "pharos-hpc", "check", "--json", "--tokens", str(host.tokens))
    before = snapshot(host.sandbox.root)
    done = subprocess.run(
        ["strace", "-f", "-y", "-q", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", str(trace), *words],
        cwd=launch.REPOSITORY,
        env={key: value for key, value in launch.environment(host.sandbox.root).items() if "COVERAGE" not in key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {exits.DONE, exits.REFUSED}, done.stderr
    assert '"areas"' in done.stdout
    assert trace.stat().st_size > 10_000
    assert mutations(trace.read_text(errors="replace")) == []
    assert snapshot(host.sandbox.root) == before


def test_check_works_on_a_file_system_that_is_read_only(host: Host) -> None:
    root = host.sandbox.root
    script = f'mount --bind {root} {root} && mount -o remount,bind,ro {root} && exec "$@"'
    words = launch.launched(host.archive / "pharos-hpc", "check", "site.env", "inputs", "python", "archive", "--json",
                            "--tokens", str(host.tokens))  # fmt: skip
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *words]
    done = subprocess.run(
        command, cwd=launch.REPOSITORY, env=launch.environment(root), capture_output=True, text=True, check=False
    )
    assert done.returncode == exits.DONE, done.stdout + done.stderr


@pytest.mark.parametrize("words", [("status",), ("status", "--full"), ("history",), ("releases",), ("states",)])
def test_what_only_answers_changes_nothing_either(host: Host, words: tuple[str, ...]) -> None:
    site = Site(host.sandbox, host.central, host.python)
    install_small_release(site.paths, "A", host.python)
    before = snapshot(host.sandbox.root)
    launch.run(host.sandbox.root, host.archive / "pharos-hpc", *words)
    for command in ("activate", "rollback", "stop", "configure", "install", "prune --keep 1"):
        launch.run(host.sandbox.root, host.archive / "pharos-hpc", *command.split(), "--plan")
    assert snapshot(host.sandbox.root) == before
