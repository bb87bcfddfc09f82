"""An archive becomes a release: real environments, filled offline by a real pip, tried as the service identities."""

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import attrs
import pytest

from fixtures.archive import build_wheel, write_archive_sums
from installer.archive import is_staged
from installer.fingerprint import fingerprint
from installer.host.files import RealFiles
from installer.host.tree import SUMS, complete, damage
from installer.host.venv import Source
from installer.stageable import faults, interpreter_faults
from installer.staging import stage
from states.errors import HostError, Interrupted, Refused
from tests.installer.conftest import Wheels
from tests.installer.stages import Stage, make_stage, quiet


@pytest.fixture
def ready(sandbox_dir: Path, python: Path, wheels: Wheels, pip: Path) -> Stage:
    return make_stage(sandbox_dir, python, wheels, pip)


@pytest.fixture
def staged(ready: Stage) -> Stage:
    ready.run()
    return ready


@pytest.fixture(scope="module")
def looked_at(python: Path, wheels: Wheels, pip: Path) -> Iterator[Stage]:
    """A staged release that a test only looks at."""
    root = Path(tempfile.mkdtemp(prefix="pharos-", dir="/tmp"))
    root.chmod(0o755)
    made = make_stage(root, python, wheels, pip)
    made.run()
    yield made
    shutil.rmtree(root)


def _as(uid: int, *command: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False, user=uid, group=uid, extra_groups=[])


def test_what_was_staged_is_a_release_without_damage(looked_at: Stage) -> None:
    assert complete(looked_at.release)
    assert damage(looked_at.release) == ()
    assert RealFiles(looked_at.paths).release("1.0").id == "1.0"


def test_a_release_holds_what_the_host_needs_and_nothing_else(looked_at: Stage) -> None:
    own = {
        "pharos-hpc",
        "manifest",
        "site.env",
        "release.json",
        "signature.json",
        "units",
        "links",
        "fingerprint",
        SUMS,
    }
    assert {path.name for path in looked_at.release.iterdir()} == {*own, "site-agent", "ssh-access"}
    assert (looked_at.release / "site.env").read_bytes() == looked_at.site_env


def test_the_fingerprint_is_what_sha256sum_says_of_manifest_and_site_env(looked_at: Stage) -> None:
    both = (looked_at.release / "manifest").read_bytes() + (looked_at.release / "site.env").read_bytes()
    done = subprocess.run(["sha256sum"], input=both, capture_output=True, check=True)
    assert (looked_at.release / "fingerprint").read_text().strip() == done.stdout.decode().split()[0]


def test_nobody_may_write_a_release_and_everybody_may_read_it(looked_at: Stage) -> None:
    for path in (looked_at.release, *looked_at.release.rglob("*")):
        found = path.lstat()
        assert (found.st_uid, found.st_gid) == (0, 0), path
        if not path.is_symlink():
            assert stat.S_IMODE(found.st_mode) in {0o444, 0o555}, path


def test_an_administrators_umask_makes_no_other_release(ready: Stage) -> None:
    before = os.umask(0o077)
    try:
        ready.run()
    finally:
        os.umask(before)
    paths = (path for path in (ready.release, *ready.release.rglob("*")) if not path.is_symlink())
    modes = {stat.S_IMODE(path.stat().st_mode) for path in paths}
    assert modes == {0o444, 0o555}
    assert stat.S_IMODE(ready.paths.opt.stat().st_mode) == 0o755


def test_both_agents_run_as_their_service_identities_from_this_release(looked_at: Stage) -> None:
    for uid, program in (
        (61001, "site-agent/bin/waldur_site_agent"),
        (61002, "ssh-access/bin/pharos-ssh-access-agent"),
    ):
        done = _as(uid, looked_at.release / program, "--help")
        assert done.returncode == 0, done.stderr
        first = (looked_at.release / program).read_text().partition("\n")[0]
        assert first.startswith(f"#!{looked_at.release}/")


def test_every_module_is_byte_compiled_unchecked(looked_at: Stage) -> None:
    sources = [path for path in (looked_at.release / "site-agent/lib").rglob("*.py") if "site-packages" in path.parts]
    assert len(sources) >= 5
    for path in sources:
        [compiled] = (path.parent / "__pycache__").glob(f"{path.stem}.cpython-*.pyc")
        assert compiled.read_bytes()[4:8] == b"\x01\0\0\0", "PEP 552: hash-based, not checked"


def test_neither_pip_nor_anything_temporary_is_left_in_an_environment(looked_at: Stage) -> None:
    assert not list(looked_at.release.rglob("pip"))
    assert not (looked_at.release / "site-agent/tmp").exists()


def test_the_same_inputs_again_are_staged_already(looked_at: Stage) -> None:
    assert is_staged(looked_at.paths, looked_at.archive, looked_at.site_env)


def test_another_site_env_is_refused_by_its_keys(looked_at: Stage) -> None:
    changed = looked_at.site_env.replace(b"SITE_NAME=icarus", b"SITE_NAME=daedalus")
    with pytest.raises(Refused, match=r"release '1\.0': it is installed already, with other SITE_NAME$"):
        is_staged(looked_at.paths, looked_at.archive, changed)


def test_another_manifest_is_refused_by_its_keys(staged: Stage) -> None:
    path = staged.root / "archive/manifest"
    path.write_bytes(path.read_bytes().replace(b"site-agent.settle_seconds: 1", b"site-agent.settle_seconds: 2"))
    with pytest.raises(Refused, match=r"with other site-agent\.settle_seconds$"):
        is_staged(staged.paths, staged.archive, staged.site_env)


def test_an_undamaged_archive_has_no_fault(ready: Stage) -> None:
    assert faults(ready.paths, ready.site, ready.archive) == ()
    assert not ready.paths.opt.exists(), "asking changes nothing"


def test_a_damaged_archive_is_a_fault(ready: Stage) -> None:
    (ready.root / "archive/pharos-hpc").write_text("#!/bin/sh\nexec evil\n")
    (ready.root / "archive/added").touch()
    found = faults(ready.paths, ready.site, ready.archive)
    assert found == ("archive: 'added' was added", "archive: 'pharos-hpc' was changed")


def test_all_faults_are_told_together(ready: Stage) -> None:
    (ready.root / "archive/added").touch()
    old = attrs.evolve(
        ready.archive.manifest, python_requires=">=3.99", components=ready.archive.manifest.components[:1]
    )
    archive = attrs.evolve(ready.archive, manifest=old)
    found = faults(ready.paths, ready.site, archive)
    assert [each.partition(" ")[0] for each in found[:1]] == ["archive:"]
    assert any("ACTIVATION_COMPONENTS: names" in each for each in found)
    assert any("required is >=3.99" in each for each in found)


def test_a_python_behind_a_closed_directory_is_named_with_it(ready: Stage, python: Path) -> None:
    closed = ready.root / "closed"
    (closed / "bin").mkdir(parents=True)
    (closed / "bin/python3").symlink_to(python)
    closed.chmod(0o700)
    site = attrs.evolve(ready.site, host_python=str(closed / "bin/python3"))
    found = interpreter_faults(site, ready.archive.manifest)
    assert [each.partition("out of reach of ")[2] for each in found] == [
        f"'{name}': '{closed}' is closed to it, or not there" for name in ("pharos-agent", "pharos-ssh-access")
    ]


def test_what_is_no_python_is_told(ready: Stage) -> None:
    site = attrs.evolve(ready.site, host_python="/bin/echo")
    [fault, *_] = interpreter_faults(site, ready.archive.manifest)
    assert "it is not a Python" in fault


def _rebuilt(ready: Stage, sandbox_dir: Path, code: str) -> None:
    """Have the archive's site agent be another program."""
    wheel = build_wheel(sandbox_dir / "other", "site-agent", code=code)
    pin = ready.root / "archive/requirements/site-agent.txt"
    target = ready.root / "archive/wheels" / wheel.name
    target.write_bytes(wheel.read_bytes())
    digest = subprocess.run(["sha256sum", target], capture_output=True, text=True, check=True).stdout.split()[0]
    pin.write_text(f"small_site_agent==1.0 --hash=sha256:{digest}\n")
    write_archive_sums(ready.root / "archive")


def test_an_agent_that_does_not_start_makes_no_release(ready: Stage, sandbox_dir: Path) -> None:
    _rebuilt(ready, sandbox_dir, "import absent\n\ndef main(): pass\n")
    with pytest.raises(HostError, match="as 'pharos-agent'") as caught:
        ready.run()
    assert any("No module named 'absent'" in line for line in _tail(caught.value))
    assert not ready.release.exists()


def _tail(error: HostError) -> Sequence[str]:
    tail = error.facts["tail"]
    assert isinstance(tail, list)
    return tail


def test_a_wheel_with_another_hash_makes_no_release(ready: Stage) -> None:
    pin = ready.root / "archive/requirements/ssh-access.txt"
    pin.write_text(f"{pin.read_text().partition('sha256:')[0]}sha256:{'0' * 64}\n")
    with pytest.raises(HostError, match=r"cannot install 'ssh-access\.txt'"):
        ready.run()
    assert not ready.release.exists()


def test_a_requirement_without_a_hash_makes_no_release(ready: Stage) -> None:
    (ready.root / "archive/requirements/ssh-access.txt").write_text("small_ssh_access==1.0\n")
    with pytest.raises(HostError, match=r"cannot install 'ssh-access\.txt'"):
        ready.run()


def test_an_interruption_between_two_steps_leaves_nothing(ready: Stage) -> None:
    def interrupted(what: str) -> AbstractContextManager[None]:
        if what == "seal":
            raise Interrupted("asked to stop by SIGINT")
        return quiet(what)

    with pytest.raises(Interrupted):
        stage(ready.paths, ready.site, ready.archive, ready.site_env, interrupted)
    assert list(ready.paths.releases.iterdir()) == []


def test_a_release_in_use_that_lost_its_list_is_not_cleared(staged: Stage) -> None:
    (staged.release / SUMS).unlink()
    RealFiles(staged.paths).point("current", "1.0")
    assert faults(staged.paths, staged.site, staged.archive) == (
        "release '1.0' is in use and lacks SHA256SUMS: activate another release first",
    )
    with pytest.raises(HostError, match="cannot make"):
        staged.run()
    assert (staged.release / "site-agent/bin/python").exists()


def test_a_fingerprint_covers_both_files() -> None:
    assert len({fingerprint(*each) for each in ((b"a", b"b"), (b"b", b"b"), (b"a", b"c"))}) == 3


def test_an_index_and_its_proxy_are_used_in_index_mode_only() -> None:
    wheels, index, proxy = Path("/a/wheels"), "https://index.example.org/simple/", "http://proxy.example.org:3128"
    assert Source(wheels, None, proxy).options == ("--no-index", "--find-links", "/a/wheels")
    assert Source(wheels, index).options == ("--index-url", index, "--find-links", "/a/wheels")
    assert Source(wheels, index, proxy).options == (
        *("--index-url", index, "--proxy", proxy),
        *("--find-links", "/a/wheels"),
    )
