"""Canary secrets, through a whole configure and activate: they are found where spec 03 puts them, and nowhere else."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.sandbox import Sandbox
from installer import exits
from installer.host.tree import write_sums
from tests.installer.configuring import RELEASE, Ready, ready

SECRETS = {
    "etc/pharos-hpc/secrets/site-agent-token",
    "etc/pharos-hpc/secrets/site-agent-ldap-password",
    "etc/pharos-hpc/secrets/ssh-access-site-token",
    "etc/pharos-hpc/secrets/site-agent-config.json",
}


@pytest.fixture
def host(sandbox: Sandbox, tmp_path: Path, python: Path) -> Iterator[Ready]:
    with ready(sandbox, tmp_path, python) as made:
        yield made


TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/var/crash", "/var/lib/systemd/coredump")
TESTS = ("pytest-", "pharos-", "bash_jobs")


class Sampler(threading.Thread):
    """Looks at the arguments and the environment of every process but ours, again and again."""

    def __init__(self, canaries: set[bytes]) -> None:
        super().__init__(daemon=True)
        self.canaries = canaries
        self.over = threading.Event()
        self.seen: set[str] = set()
        self.samples = 0

    def run(self) -> None:
        while not self.over.wait(0.005):
            for process in Path("/proc").glob("[0-9]*"):
                self._look(process)

    def _look(self, process: Path) -> None:
        for name in ("cmdline", "environ"):
            try:
                data = (process / name).read_bytes()
            except OSError:  # it has just ended
                continue
            self.samples += 1
            if any(canary in data for canary in self.canaries) and process.name != str(os.getpid()):
                self.seen.add(f"{name} of {data[:80]!r}")


def holding(root: Path, canaries: set[bytes]) -> Iterator[str]:
    """Yield every file below root that holds a canary, by its bytes or its name; /proc and devices are no files."""
    for path in root.rglob("*"):
        if any(canary in os.fsencode(path) for canary in canaries):
            yield f"name {path}"
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if any(canary in data for canary in canaries):
            yield str(path.relative_to(root))


def temporary() -> set[Path]:
    """Return what lies where programs put what is temporary; what tests made themselves is not looked at."""
    found = (path for top in TEMPORARY for path in Path(top).glob("*"))
    return {path for path in found if not path.name.startswith(TESTS)}


def left(new: set[Path], canaries: set[bytes]) -> set[str]:
    """Return the files with a canary among these and below them."""
    files = (path for each in new for path in (each, *each.rglob("*")))
    return {str(path) for path in files if _holds(path, canaries)}


def _holds(path: Path, canaries: set[bytes]) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and any(canary in path.read_bytes() for canary in canaries)
    except OSError:  # it has just gone
        return False


def commands(host: Ready) -> Iterator[tuple[str, ...]]:
    """Yield every command that reads, moves or could tell a secret."""
    yield from (("check", "--tokens", str(host.tokens)), ("check",), ("configure", "--plan", str(host.tokens)))
    yield from (("configure", str(host.tokens)), ("configure",), ("configure", "--json"))
    yield from (("activate", "--plan", "--release", RELEASE), ("activate", "--release", RELEASE), ("status",))
    yield from (
        ("activate", "--release", "none"),
        ("rollback",),
        ("recover",),
        ("history",),
        ("follow",),
        ("releases",),
    )
    yield from (("stop",), ("activate", "--release", RELEASE, "--json"), ("status", "--json", "--full"))


def test_secrets_are_found_where_they_belong_and_nowhere_else(host: Ready) -> None:
    canaries = {text.encode() for text in host.secrets if len(text) >= 12}
    write_sums(host.paths.release(RELEASE))
    sampler = Sampler(canaries)
    sampler.start()
    outputs = []
    before = temporary()
    for words in commands(host):
        done = host.run(*words)
        outputs.append(done.stdout + done.stderr)
    sampler.over.set()
    sampler.join()
    assert host.run("status").returncode == exits.DONE, outputs
    found = set(holding(host.sandbox.root, canaries))
    assert {name for name in found if "credentials" not in name} == SECRETS
    assert all(name.startswith("run/") for name in found - SECRETS), found
    assert not [text for text in outputs if any(canary in text.encode() for canary in canaries)]
    assert sampler.samples > 1000
    assert sampler.seen == set()
    assert left(temporary() - before, canaries) == set()


def test_a_crash_shows_no_secret(host: Ready) -> None:
    canaries = {text.encode() for text in host.secrets if len(text) >= 12}
    host.central.answer_json("waldur", "/api/", '{"detail": ["' + "x" * 50 + '"]}', 418)
    (host.paths.release(RELEASE) / "manifest").unlink()
    (host.paths.release(RELEASE) / "manifest").mkdir()
    done = host.run("configure", str(host.tokens))
    assert done.returncode != exits.DONE
    text = (done.stdout + done.stderr).encode()
    assert not [canary for canary in canaries if canary in text]
    assert set(holding(host.sandbox.root, canaries)) == set()
