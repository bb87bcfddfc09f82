"""Signatures, with the real sigstore as the host's program: the whole corpus of bundles, and real public ones."""

import json
import os
import shutil
import sys
import sysconfig
import tarfile
from pathlib import Path

import attrs
import pytest

from fixtures.hostile.archives import good
from fixtures.hostile.bundles import Case, cases
from fixtures.hostile.small import RELEASE, small_files
from installer.builder import programs
from installer.builder.downloads import DEFAULT_CACHE, found, keep
from installer.builder.locks import Pin
from installer.checks.package import Candidate, judged
from installer.host import verifier
from installer.host.process import Completed, run
from installer.paths import Paths
from installer.public_good import TRUSTED_ROOT
from installer.signature import ISSUER, Signature, identity_of
from installer.trusted_root import client_config, trusted_root
from states.errors import Refused
from tests.checks.test_read_only import CALLS, mutations

ARCHIVE = good(small_files())
CORPUS = {f"v{v}-{case.name}": case for v in (1, 2) for case in cases(ARCHIVE, identity_of(RELEASE), v)}
STATES = {"accepted": "verified", "refused": "refused", "unread": "refused"}
SIGSTORE = Path(sysconfig.get_path("scripts")) / "sigstore"
PRODUCTION = Pin("pypi-attestations", "0.0.31", "5a2473aca7d7f65caf2c3a985691c5cf9264a97fa68c98fbae6e96320bcc7c9a")
PUBLISHED = "pypi_attestation_models-0.0.4a2.tar.gz"
PUBLISHER = "https://github.com/trailofbits/pypi-attestation-models/.github/workflows/release.yml@refs/tags/v0.0.4a2"


@attrs.frozen
class Host:
    """A host with an active release and sigstore; `calls` is how it was called."""

    paths: Paths
    calls: Path

    def judge(self, bundle: bytes, root: bytes | None) -> tuple[Signature, list[str]]:
        archive, signed = self.paths.root / "archive.tar.gz", self.paths.root / "bundle.json"
        archive.write_bytes(ARCHIVE)
        signed.write_bytes(bundle)
        if root is not None:
            self.paths.sigstore_trust.write_bytes(root)
        program = self.paths.release("0.9") / "pharos-hpc"
        signature, _, findings = judged(Candidate(self.paths, program, archive, signed, "", "now"))
        return signature, [finding.found for finding in findings if finding.code == "PH-PACKAGE-11"]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    paths, calls = Paths(tmp_path), tmp_path / "calls"
    for directory in (tmp_path / "usr/bin", paths.etc, paths.releases):
        directory.mkdir(parents=True)
    (paths.opt / "current").symlink_to("releases/0.9")
    program = tmp_path / "usr/bin/sigstore"
    program.write_text(f'#!/bin/sh\necho "$@" >>{calls}\nexec {sys.executable} -B {SIGSTORE} "$@"\n')
    program.chmod(0o755)
    return Host(paths, calls)


@pytest.mark.parametrize("name", CORPUS)
def test_each_bundle_is_accepted_refused_or_not_even_read(host: Host, name: str) -> None:
    case: Case = CORPUS[name]
    found, said = host.judge(case.bundle, case.root)
    assert found.state == STATES[case.wanted], said
    assert host.calls.exists() == (case.wanted != "unread")
    assert (found.state == "verified") == (not said)
    assert all(text.isprintable() and len(text) < 400 for text in said)


def test_the_corpus_is_what_was_promised() -> None:
    wanted = [case.wanted for case in CORPUS.values()]
    assert (len(wanted), wanted.count("accepted"), wanted.count("unread")) == (161, 8, 34)
    assert len({case.bundle + case.root for case in CORPUS.values()}) == len(CORPUS)


def test_the_verifier_gets_the_digest_that_was_read_and_root_identity_and_issuer_that_are_ours(host: Host) -> None:
    case = CORPUS["v2-good"]
    found, _ = host.judge(case.bundle, case.root)
    assert (found.identity, found.issuer, found.by) == (identity_of(RELEASE), ISSUER, "sigstore")
    words = host.calls.read_text().split()
    assert words[0] == "--trust-config"
    assert words[-1] == f"sha256:{found.sha256}"
    assert words[-5:-1] == ["--cert-identity", identity_of(RELEASE), "--cert-oidc-issuer", ISSUER]
    assert str(host.paths.root) not in " ".join(words), "it reads what was judged, not files that could have changed"


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")
@pytest.mark.parametrize("name", ["v1-good", "v2-good", "v1-foreign-log", "v2-identity-fork"])
def test_no_system_call_of_the_verifier_changes_anything(host: Host, name: str) -> None:
    trace, program = host.paths.root / "trace", host.paths.root / "usr/bin/sigstore"
    program.write_text(
        f'#!/bin/sh\nexec strace -f -o {trace} -e trace={CALLS},connect {sys.executable} {SIGSTORE} "$@"\n'
    )
    case = CORPUS[name]
    assert host.judge(case.bundle, case.root)[0].state == STATES[case.wanted]
    text = trace.read_text()
    assert "openat(" in text
    assert mutations(text) == []
    assert "connect(" not in text


def test_without_a_root_of_the_sites_own_the_public_one_counts_and_no_other(host: Host) -> None:
    found, said = host.judge(CORPUS["v1-good"].bundle, None)
    assert found.state == "refused"
    assert "certificate chain" in said[0]


@pytest.mark.parametrize(
    "root", [b"", b"[]", b"{}", b'{"mediaType": "text/html"}', client_config(TRUSTED_ROOT.encode())]
)
def test_a_root_of_the_sites_own_that_is_none_is_refused(host: Host, root: bytes) -> None:
    found, said = host.judge(CORPUS["v1-good"].bundle, root)
    assert found.state == "refused"
    assert "no Sigstore root of trust" in said[0]
    assert not host.calls.exists()


def test_a_root_of_the_sites_own_that_others_can_write_is_refused(host: Host) -> None:
    host.paths.sigstore_trust.write_text(TRUSTED_ROOT)
    host.paths.sigstore_trust.chmod(0o666)
    with pytest.raises(Refused, match="others than its owner"):
        trusted_root(host.paths)


def test_the_pinned_root_is_the_public_instances_own() -> None:
    import sigstore

    stored = Path(sigstore.__file__).parent / "_store/https%3A%2F%2Ftuf-repo-cdn.sigstore.dev/trusted_root.json"
    assert json.loads(TRUSTED_ROOT) == json.loads(stored.read_bytes())


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory of files that others published and signed with the public instance, from a PyPI sdist."""
    cache, new = DEFAULT_CACHE.expanduser(), tmp_path_factory.mktemp("new")
    if PRODUCTION not in found([PRODUCTION], cache):
        words: list[str | Path] = ["--isolated", "download", "--quiet", "--no-deps", "--no-binary=:all:", "--dest", new]
        pip: list[str | Path] = [sys.executable, "-m", "pip", *words, f"{PRODUCTION.name}=={PRODUCTION.version}"]
        programs.run("download an sdist", pip, HOME=str(new / "home"))
        keep(next(new.glob("*.tar.gz")), cache)
    path = found([PRODUCTION], cache)[PRODUCTION]
    directory = tmp_path_factory.mktemp("published")
    with tarfile.open(path) as archive:
        archive.extractall(directory, filter="data")
    return next(directory.glob("*/test/assets"))


@pytest.mark.parametrize(
    ("identity", "issuer", "name", "status"),
    [
        (PUBLISHER, ISSUER, PUBLISHED, 0),
        (PUBLISHER.replace("v0.0.4a2", "v0.0.4"), ISSUER, PUBLISHED, 1),
        (PUBLISHER, "https://gitlab.com", PUBLISHED, 1),
        (PUBLISHER, ISSUER, "rfc8785-0.1.2-py3-none-any.whl", 1),
    ],
)
def test_a_real_bundle_of_the_public_instance_is_verified_by_the_pinned_root(
    published: Path, tmp_path: Path, identity: str, issuer: str, name: str, status: int
) -> None:
    config = tmp_path / "config.json"
    config.write_bytes(client_config(TRUSTED_ROOT.encode()))
    signed = published / f"{PUBLISHED}.sigstore"
    words = verifier._WORDS["sigstore"](config, signed, identity, issuer)
    done = run([SIGSTORE, *words, published / name], seconds=60, environment=verifier.ENVIRONMENT)
    assert done.status == status, done.stderr


def test_a_real_bundle_of_a_statement_is_no_archives_signature(host: Host, published: Path) -> None:
    for path in published.glob("*.sigstore"):
        found, said = host.judge(path.read_bytes(), None)
        assert found.state == "refused"
        assert "no Sigstore bundle" in said[0]
    assert not host.calls.exists()


def test_cosign_is_asked_where_sigstore_is_not_there(host: Host) -> None:
    cosign = host.paths.root / "usr/bin/cosign"
    (host.paths.root / "usr/bin/sigstore").unlink()
    cosign.write_text(f'#!/bin/sh\necho "$@" >>{host.calls}\ncat "$3" >>{host.calls}\n')
    cosign.chmod(0o755)
    case = CORPUS["v2-good"]
    found, _ = host.judge(case.bundle, case.root)
    assert (found.state, found.by) == ("verified", "cosign")
    first, *root = host.calls.read_text().split("\n", 1)
    assert first.startswith("verify-blob --trusted-root /proc/")
    assert first.endswith(f"--certificate-oidc-issuer {ISSUER} sha256:{found.sha256}")
    assert json.loads(root[0]) == json.loads(case.root)


@pytest.mark.parametrize(
    ("out", "err", "told"),
    [
        (
            "",
            "[12:00:00] ERROR    FAIL: x\n   ERROR    no match     errors.py:42\n  For detailed error information, run",
            "no match",
        ),
        ("", "Error: none of the expected identities matched\n", "Error: none of the expected identities matched"),
        ("", "Traceback\nValueError: bad", "ValueError: bad"),
        ("said", "", "said"),
        ("", "", "status 7"),
        ("", "ERROR  got \x1b[2J\x07", "got ?[2J?"),
        ("", "x" * 1000, "x" * 300),
    ],
)
def test_a_refusal_is_told_in_the_verifiers_words_on_one_printable_line(out: str, err: str, told: str) -> None:
    assert verifier.reason(Completed(("v",), 7, out, err)) == told


def test_a_verifier_that_does_not_end_verifies_nothing(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    (host.paths.root / "usr/bin/sigstore").write_text("#!/bin/sh\nexec sleep 100\n")
    monkeypatch.setattr(verifier, "SECONDS", 0.2)
    assert host.judge(CORPUS["v1-good"].bundle, None)[0].state == "error"


def test_a_verifier_that_was_killed_verifies_nothing(host: Host) -> None:
    (host.paths.root / "usr/bin/sigstore").write_text("#!/bin/sh\nkill -9 $$\n")
    assert host.judge(CORPUS["v1-good"].bundle, None)[0].state == "refused"
    assert not [name for name in os.listdir("/proc/self/fd") if "memfd:" in _target(name)]


def _target(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        return ""
