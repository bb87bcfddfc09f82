"""The host's own verifier, sigstore(1) or cosign(1), asked about one archive; it fails closed.

Identity and issuer are ours, never the bundle's; the bundle's kind is pinned before anybody else reads it. Where
/etc/pharos-hpc/sigstore-trust.json is there, it is the root of trust; else the verifier's own.
"""

from pathlib import Path
from typing import Final

import attrs

from installer import jsontext
from installer.host.process import find, run
from installer.host.reading import read_small
from installer.paths import Paths
from states.errors import HostError, Refused

SECONDS: Final = 120.0
KINDS: Final = frozenset(
    {"application/vnd.dev.sigstore.bundle.v0.3+json", "application/vnd.dev.sigstore.bundle+json;version=0.3"}
)


@attrs.frozen
class Verdict:
    """Whether the archive is signed as wanted, by which program that was found, and what it said of a refusal."""

    good: bool
    by: str
    said: str = ""


def ask(paths: Paths, archive: Path, bundle: Path, identity: str, issuer: str) -> Verdict:
    """Return the verdict on an archive and its bundle.

    Raises:
        Refused: the bundle is none of the pinned kind.
        HostError: the host has no verifier, or it did not end.

    """
    refuse_other_kinds(read_small(bundle), bundle)
    name, program = _verifier(paths)
    words = _WORDS[name](paths.sigstore_trust, bundle, identity, issuer)
    done = run([program, *words, archive], seconds=SECONDS)
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return Verdict(done.status == 0, name, said[-1] if said else f"status {done.status}")


def refuse_other_kinds(data: bytes, bundle: Path) -> None:
    """Raise `Refused` unless the bytes are a bundle of a pinned kind, of the artifact itself and no statement."""
    try:
        values = jsontext.loads(data)
        good = values["mediaType"] in KINDS and "messageSignature" in values and "dsseEnvelope" not in values
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        hint = "take the .sigstore.json that was published beside the archive"
        raise Refused(f"cannot use '{bundle}': it is no Sigstore bundle (v0.3) of an archive's signature", hint=hint)


def _verifier(paths: Paths) -> tuple[str, Path]:
    for name in _WORDS:
        try:
            return name, find(paths, name)
        except HostError:
            continue
    hint = "install one of them, or compare the digest: --expect-sha256"
    raise HostError("cannot verify the signature: neither sigstore nor cosign is on this host", hint=hint)


def _sigstore(trust: Path, bundle: Path, identity: str, issuer: str) -> list[str | Path]:
    root: list[str | Path] = ["--trust-config", trust] if trust.is_file() else []
    words = ("--bundle", bundle, "--cert-identity", identity, "--cert-oidc-issuer", issuer)
    return [*root, "verify", "identity", "--offline", *words]


def _cosign(trust: Path, bundle: Path, identity: str, issuer: str) -> list[str | Path]:
    root: list[str | Path] = ["--trusted-root", trust] if trust.is_file() else []
    words = ("--bundle", bundle, "--certificate-identity", identity, "--certificate-oidc-issuer", issuer)
    return ["verify-blob", *root, "--offline", *words]


_WORDS: Final = {"sigstore": _sigstore, "cosign": _cosign}
