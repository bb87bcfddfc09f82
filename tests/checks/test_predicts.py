"""`check` tells the future: it finds an error exactly when install, configure or activate then fails."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import launch
from fixtures.central import Central
from fixtures.python import reachable_python
from fixtures.sandbox import make_sandbox
from fixtures.slurm import Slurm
from fixtures.small_release import become_small
from installer import exits
from installer.host.tree import write_sums
from tests.checks.test_local import Host, archive
from tests.installer.configuring import LOADER

__all__ = ["archive"]
Corruption = Callable[[Host], object]


def number_taken(host: Host) -> None:
    host.sandbox.run("groupadd", "--gid", "61002", "others")
    host.sandbox.run("useradd", "--uid", "61002", "--gid", "61002", "other")


def masked(host: Host) -> None:
    host.paths.units.mkdir(parents=True, exist_ok=True)
    (host.paths.units / "waldur-site-agent@.service").symlink_to("/dev/null")
    host.sandbox.systemctl("daemon-reload")


def masked_by_hand(host: Host) -> None:
    host.paths.units.mkdir(parents=True, exist_ok=True)
    (host.paths.units / "waldur-site-agent@report.service").symlink_to("/dev/null")


def release_in_the_way(host: Host) -> None:
    release = (host.archive / "manifest").read_text().split("release: ")[1].split()[0]
    (host.paths.release(release) / "mine").mkdir(parents=True)


def file_for_a_component(host: Host) -> None:
    host.paths.opt.mkdir(parents=True, exist_ok=True)
    (host.paths.opt / "site-agent").write_text("mine\n")


def damaged_other(host: Host) -> None:
    path = host.paths.release("0.8")
    path.mkdir(parents=True)
    write_sums(path)
    (path / "more").touch()


def astray(host: Host) -> None:
    host.paths.opt.mkdir(parents=True, exist_ok=True)
    (host.paths.opt / "current").symlink_to("releases/gone")


def changed(host: Host) -> None:
    path = host.archive / "requirements/site-agent.txt"
    path.write_text(path.read_text() + "\n")


def cut(host: Host) -> None:
    path = host.archive / "wheels"
    next(path.glob("small_site_agent*")).unlink()


def old_history(host: Host) -> None:
    host.paths.history.parent.mkdir(parents=True)
    host.paths.history.write_bytes(b"\x00\xff\n{")


CORRUPTIONS: dict[str, Corruption] = {
    "key-unknown": lambda host: host.paths.site_env.write_bytes(host.paths.site_env.read_bytes() + b"COLOUR=blue\n"),
    "key-missing": lambda host: host.paths.site_env.write_bytes(
        b"\n".join(line for line in host.paths.site_env.read_bytes().splitlines() if b"SITE_NAME" not in line)
    ),
    "python-missing": lambda host: host.site_env(HOST_PYTHON="/opt/none/bin/python3.13"),
    "site-env-writable": lambda host: host.paths.site_env.chmod(0o666),
    "token-empty": lambda host: (host.tokens / "site-agent-token").write_text(""),
    "token-unknown": lambda host: (host.tokens / "site-agent-token").write_text("0" * 40),
    "token-of-two-lines": lambda host: (host.tokens / "ssh-access-site-token").write_text("psb_a\npsb_b\n"),
    "ca-of-another": lambda host: (host.tokens / "site-agent-ca.crt").write_bytes(
        host.central.site_api_ca_file.read_bytes()
    ),
    "ca-missing": lambda host: (host.tokens / "site-api-ca.crt").unlink(),
    "number-taken": number_taken,
    "masked": masked,
    "masked-by-hand": masked_by_hand,
    "directory-in-the-way": lambda host: (host.paths.etc / "site-agent.env").mkdir(),
    "release-in-the-way": release_in_the_way,
    "directory-for-current": lambda host: (host.paths.opt / "current").mkdir(parents=True),
    "file-for-a-component": file_for_a_component,
    "archive-changed": changed,
    "archive-cut": cut,
    "offering-paused": lambda host: host.central.set_offering_state("Paused"),
    "site-api-down": lambda host: host.central.fail_with_page("site-api", "/"),
    "waldur-page": lambda host: host.central.answer_html("waldur", "/api/"),
    "site-api-certificate": lambda host: host.central.present("site-api", "expired"),
}
# They change nothing that matters.
HARMLESS: dict[str, Corruption] = {
    "comment": lambda host: host.paths.site_env.write_bytes(b"# mine\n" + host.paths.site_env.read_bytes()),
    "line-end": lambda host: (host.tokens / "site-agent-token").write_text(host.central.tokens["owner"] + "\n"),
    "old-history": old_history,
    "other-release-damaged": damaged_other,
    "link-astray": astray,
}
ALL = {**CORRUPTIONS, **HARMLESS}


@contextmanager
def made(archive: Path) -> Iterator[Host]:
    """Give a fresh host on which everything would succeed."""
    with tempfile.TemporaryDirectory(prefix="pharos-", dir="/tmp") as directory:
        base = Path(directory)
        base.chmod(0o755)
        root = base / "root"
        root.mkdir(mode=0o755)
        cache = Path("/tmp/pharos-hpc-python")
        cache.mkdir(mode=0o755, exist_ok=True)
        python = reachable_python(cache)
        shutil.copytree(archive, base / "archive")
        with make_sandbox(root).running() as sandbox, Central.start(base / "central") as central:
            slurm = Slurm.install(root / "usr/lib/slurm", str(python))
            tokens = central.write_inputs(base / "tokens")
            host = Host(sandbox, central, base / "archive", tokens, slurm, python)
            host.site_env()
            yield host


def run(host: Host, *words: str) -> int:
    return launch.run(host.sandbox.root, host.archive / "pharos-hpc", *words).returncode


def everything_succeeds(host: Host) -> bool:
    """Do what an operator does next; the agents of the small archive are exchanged for ones that run."""
    if run(host, "install") != exits.DONE:
        return False
    release = host.paths.release("1.0")
    become_small(host.paths, "1.0")
    programs = release / "site-agent/bin"
    programs.chmod(0o755)
    (programs / "waldur_site_load_components").write_text(LOADER)
    write_sums(release)
    if run(host, "configure", str(host.tokens)) != exits.DONE:
        return False
    return run(host, "activate") == exits.DONE


def foretold(host: Host) -> bool:
    return run(host, "check", "--tokens", str(host.tokens)) == exits.DONE


@pytest.mark.parametrize("name", ALL)
def test_one_change_is_foretold(archive: Path, name: str) -> None:
    with made(archive) as host:
        ALL[name](host)
        expected = foretold(host)
        assert expected == (name in HARMLESS)
        assert everything_succeeds(host) == expected


@settings(max_examples=6, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sets(st.sampled_from(sorted(ALL)), max_size=3))
def test_any_changes_together_are_foretold(archive: Path, names: set[str]) -> None:
    with made(archive) as host:
        for name in sorted(names):
            ALL[name](host)
        expected = foretold(host)
        assert everything_succeeds(host) == expected
