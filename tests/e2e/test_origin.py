"""Where an archive comes from: the installed program verifies the next one, and nothing vouches for itself."""

import hashlib
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from jsonschema import validate

from fixtures import launch
from fixtures.archive import build_wheel, make_archive, pip_wheel, write_archive_sums
from fixtures.central import Central
from fixtures.sandbox import Sandbox
from fixtures.sigstore.fulcio import Wish
from fixtures.sigstore.instance import Instance
from fixtures.site import site_env
from installer import exits
from installer.builder.downloads import DEFAULT_CACHE
from installer.builder.packing import gzip_bytes, tar_bytes
from installer.builder.single_file import build_single_file
from installer.paths import Paths
from installer.record_file import render
from installer.signature import ISSUER, identity_of
from states.plan import Record

SCHEMA = Path(__file__).parents[2] / "installer/check.schema.json"
BUNDLE = {"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "messageSignature": {}}
# Stands for sigstore(1): it says yes to one identity, and writes down how it was called.
VERIFIER = """\
#!/bin/sh
echo "$@" >>{log}
case "$*" in *"--cert-identity {identity} --cert-oidc-issuer {issuer}"*) exit {status};; esac
echo "no such identity" >&2; exit 1
"""


@attrs.frozen
class Host:
    """A host with site.env, and archives as they are published: a file, and unpacked."""

    sandbox: Sandbox
    directory: Path
    central: Central

    @property
    def paths(self) -> Paths:
        return Paths(self.sandbox.root)

    def packed(self, release: str) -> Path:
        return self.directory / f"pharos-hpc-{release}.tar.gz"

    def bundle(self, **changes: object) -> Path:
        path = self.directory / "bundle.sigstore.json"
        path.write_text(json.dumps({**BUNDLE, **changes}))
        return path

    def verifier(self, release: str, status: int = 0, name: str = "sigstore") -> Path:
        log = self.sandbox.root / "verifier.log"
        path = self.sandbox.root / "usr/bin" / name
        path.write_text(VERIFIER.format(log=log, identity=identity_of(release), issuer=ISSUER, status=status))
        path.chmod(0o755)
        return log

    def sigstore(self) -> None:
        """Have the real sigstore as the host's verifier."""
        path = self.sandbox.root / "usr/bin/sigstore"
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -B {sysconfig.get_path("scripts")}/sigstore "$@"\n')
        path.chmod(0o755)

    def run(self, release: str, *words: str | Path, code: int = exits.DONE) -> str:
        """Run an unpacked archive's program."""
        program = self.directory / f"pharos-hpc-{release}/pharos-hpc"
        done = launch.run(self.sandbox.root, program, *map(str, words))
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def installed(self, release: str, *words: str | Path, code: int = exits.DONE) -> dict[str, Any]:
        """Run the program of an installed release, and return its JSON answer."""
        program = self.paths.release(release) / "pharos-hpc"
        done = launch.run(self.sandbox.root, program, *map(str, words), "--json")
        assert done.returncode == code, done.stdout + done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        if words[0] == "check":
            validate(answer, json.loads(SCHEMA.read_text()))
        return answer

    def active(self, release: str) -> None:
        """Have a release installed, recorded and linked, as an activation leaves it."""
        self.run(release, "install")
        self.link(release)

    def link(self, release: str) -> None:
        (self.paths.opt / "current").symlink_to(f"releases/{release}")
        record = Record(release, None, ("site-agent",), (), False, "then", "alice", "one")
        self.paths.record.parent.mkdir(parents=True, exist_ok=True)
        self.paths.record.write_bytes(render(record))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give two archives whose program is the real single file, packed and unpacked."""
    directory = tmp_path_factory.mktemp("published")
    build_single_file(directory / "program", DEFAULT_CACHE.expanduser())
    pip = pip_wheel(directory)
    for release in ("1.0", "1.1"):
        wheels = {name: [build_wheel(directory / f"wheels-{release}", name)] for name in ("site-agent", "ssh-access")}
        top = make_archive(directory / f"pharos-hpc-{release}", release, wheels, pip)
        shutil.copy(directory / "program", top / "pharos-hpc")
        write_archive_sums(top)
        files = {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}
        packed = gzip_bytes(tar_bytes(files, top.name, 1_700_000_000))
        (directory / f"{top.name}.tar.gz").write_bytes(packed)
    return directory


@pytest.fixture
def host(sandbox: Sandbox, published: Path, python: Path, tmp_path: Path) -> Iterator[Host]:
    shutil.copytree(published, tmp_path / "published")
    with Central.start(tmp_path / "central") as central:
        made = Host(sandbox, tmp_path / "published", central)
        made.paths.etc.mkdir(parents=True)
        made.paths.site_env.write_bytes(site_env(central, HOST_PYTHON=str(python)))
        yield made


def codes(answer: dict[str, Any]) -> set[str]:
    return {row["code"] for row in answer["findings"]}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_installed_program_has_the_hosts_verifier_verify_the_next_archive(host: Host) -> None:
    host.active("1.0")
    log = host.verifier("1.1")
    words = ("check", "--archive", host.packed("1.1"), "--bundle", host.bundle())
    answer = host.installed("1.0", *words)
    assert codes(answer) == {"PH-PACKAGE-16"}
    assert answer["signature"]["state"] == "verified"
    assert answer["signature"]["sha256"] == digest(host.packed("1.1")), "the archive's digest, not the bundle's"
    assert (answer["signature"]["identity"], answer["signature"]["issuer"]) == (identity_of("1.1"), ISSUER)
    assert log.read_text().split()[2:5] == ["verify", "identity", "--offline"]


def test_another_identity_is_refused_and_so_is_a_verifier_that_says_no(host: Host) -> None:
    host.active("1.0")
    words = ("check", "--archive", host.packed("1.1"), "--bundle", host.bundle())
    host.verifier("9.9")
    answer = host.installed("1.0", *words, code=exits.REFUSED)
    assert (codes(answer), answer["signature"]["state"]) == ({"PH-PACKAGE-11", "PH-PACKAGE-16"}, "refused")
    assert "no such identity" in answer["findings"][0]["found"]
    host.verifier("1.1", status=3)
    assert host.installed("1.0", *words, code=exits.REFUSED)["signature"]["state"] == "refused"


def test_without_a_verifier_nothing_is_verified(host: Host) -> None:
    host.active("1.0")
    words = ("check", "--archive", host.packed("1.1"), "--bundle", host.bundle())
    answer = host.installed("1.0", *words, code=exits.REFUSED)
    assert (codes(answer), answer["signature"]["state"]) == ({"PH-PACKAGE-12", "PH-PACKAGE-16"}, "error")


@pytest.mark.parametrize(
    "change",
    [
        {"mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.1"},
        {"mediaType": None},
        {"dsseEnvelope": {}},
        {"messageSignature": None, "mediaType": "text/html"},
    ],
)
def test_a_bundle_of_another_kind_is_refused_before_anybody_reads_it(host: Host, change: dict[str, object]) -> None:
    host.active("1.0")
    log = host.verifier("1.1")
    words = ("check", "--archive", host.packed("1.1"), "--bundle", host.bundle(**change))
    assert "PH-PACKAGE-11" in codes(host.installed("1.0", *words, code=exits.REFUSED))
    assert not log.exists()


def test_an_archive_never_vouches_for_itself(host: Host) -> None:
    host.verifier("1.1")
    words = ("check", "--json", "--archive", host.packed("1.1"), "--bundle", host.bundle())
    answer = json.loads(host.run("1.1", *words, code=exits.REFUSED))
    assert (codes(answer), answer["signature"]["state"]) == ({"PH-PACKAGE-13", "PH-PACKAGE-16"}, "not-checked")


def test_a_digest_pins_an_archive_and_another_one_refuses_it(host: Host) -> None:
    words = ("check", "--json", "--archive", host.packed("1.1"), "--expect-sha256")
    good = json.loads(host.run("1.1", *words, digest(host.packed("1.1")).upper()))
    assert good["signature"]["state"] == "digest-pinned"
    bad = json.loads(host.run("1.1", *words, "0" * 64, code=exits.REFUSED))
    assert (codes(bad), bad["signature"]["state"]) == ({"PH-PACKAGE-10", "PH-PACKAGE-16"}, "refused")
    host.run("1.1", *words, "0" * 63, code=exits.REFUSED)


def test_an_archive_older_than_the_active_release_is_refused(host: Host) -> None:
    host.active("1.1")
    answer = host.installed("1.1", "check", "--archive", host.packed("1.0"), code=exits.REFUSED)
    assert codes(answer) == {"PH-PACKAGE-14", "PH-PACKAGE-15", "PH-PACKAGE-16"}


def test_install_records_what_the_installed_program_verified_and_status_shows_it(host: Host) -> None:
    host.active("1.0")
    host.verifier("1.1")
    host.run("1.1", "install", "--archive", host.packed("1.1"), "--bundle", host.bundle())
    kept = json.loads((host.paths.release("1.1") / "signature.json").read_text())
    assert (kept["state"], kept["by"]) == ("verified", "sigstore")
    assert json.loads((host.paths.release("1.0") / "signature.json").read_text())["state"] == "not-checked"
    shown = host.installed("1.0", "status", code=exits.STRANDED)
    assert shown["signature"]["state"] == "not-checked"
    sums = (host.paths.release("1.1") / "SHA256SUMS").read_text()
    assert "signature.json" in sums


def test_an_older_archive_is_installed_where_that_is_asked_for(host: Host) -> None:
    host.active("1.1")
    host.verifier("1.0")
    words = ("install", "--archive", host.packed("1.0"), "--bundle", host.bundle())
    assert "it is release '1.0', active is '1.1'" in host.run("1.0", *words, code=exits.REFUSED)
    host.run("1.0", *words, "--allow-downgrade")
    assert json.loads((host.paths.release("1.0") / "signature.json").read_text())["state"] == "verified"


def test_status_tells_the_origin_of_the_active_release_apart_from_its_integrity(host: Host) -> None:
    host.active("1.0")
    host.verifier("1.1")
    host.run("1.1", "install", "--archive", host.packed("1.1"), "--bundle", host.bundle())
    (host.paths.opt / "current").unlink()
    host.link("1.1")
    (host.paths.release("1.1") / "manifest").write_text("damaged\n")
    shown = host.installed("1.1", "status", "--full", code=exits.STRANDED)
    found = {key: shown["signature"][key] for key in ("state", "identity", "issuer", "by", "sha256")}
    assert found == {
        "state": "verified",
        "identity": identity_of("1.1"),
        "issuer": ISSUER,
        "by": "sigstore",
        "sha256": digest(host.packed("1.1")),
    }
    assert any("manifest" in sentence for sentence in shown["differences"])


def test_the_real_sigstore_verifies_what_a_private_instance_signed_and_nothing_else(host: Host) -> None:
    host.active("1.0")
    host.sigstore()
    ours = Instance(2)
    host.paths.sigstore_trust.write_text(json.dumps(ours.trusted_root()))
    signed = ours.sign(bytes.fromhex(digest(host.packed("1.1"))), Wish(identity_of("1.1"), ISSUER))
    words = ("install", "--archive", os.path.relpath(host.packed("1.1"), launch.REPOSITORY), "--bundle")
    other = ours.sign(bytes.fromhex(digest(host.packed("1.0"))), Wish(identity_of("1.1"), ISSUER))
    told = host.run("1.1", *words, host.bundle(**other), code=exits.REFUSED)
    assert "Bundle message digest mismatch" in told
    assert not host.paths.release("1.1").exists()
    host.run("1.1", *words, os.path.relpath(host.bundle(**signed), launch.REPOSITORY))
    kept = json.loads((host.paths.release("1.1") / "signature.json").read_text())
    assert (kept["state"], kept["by"], kept["sha256"]) == ("verified", "sigstore", digest(host.packed("1.1")))


def test_install_refuses_what_was_not_unpacked_from_the_file_that_is_named(host: Host) -> None:
    told = host.run("1.1", "install", "--archive", host.packed("1.0"), code=exits.REFUSED)
    assert "was not unpacked from" in told
    assert not host.paths.releases.exists()
    assert "without --archive" in host.run("1.1", "install", "--expect-sha256", "0" * 64, code=exits.REFUSED)
    host.run("1.1", "install", "--archive", host.packed("1.1"), "--bundle", host.bundle(), code=exits.REFUSED)
    assert not host.paths.releases.exists()


@pytest.mark.parametrize("wanted", ["verified", "digest-pinned"])
def test_archive_trust_is_enforced(host: Host, wanted: str) -> None:
    text = host.paths.site_env.read_text()
    host.paths.site_env.write_text(text + f"ARCHIVE_TRUST={wanted}\n")
    assert "ARCHIVE_TRUST" in host.run("1.0", "install", code=exits.REFUSED)
    pinned = ("install", "--archive", host.packed("1.0"), "--expect-sha256", digest(host.packed("1.0")))
    host.run("1.0", *pinned)
    host.link("1.0")
    host.verifier("1.1")
    next_one = ("install", "--archive", host.packed("1.1"))
    code = exits.DONE if wanted == "digest-pinned" else exits.REFUSED
    host.run("1.1", *next_one, "--expect-sha256", digest(host.packed("1.1")), code=code)
    host.run("1.1", *next_one, "--bundle", host.bundle())
