"""The host's own verifier, sigstore(1) or cosign(1), asked about one archive; it fails closed.

Root, identity and issuer are ours, never the bundle's; the bundle's kind is pinned before anybody else reads it. The
verifier gets the digest of what we have read, and the very bytes of bundle and root: no file can change in between.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from installer import jsontext
from installer.host.process import Completed, find, run
from installer.host.reading import read_small
from installer.paths import Paths
from installer.trusted_root import client_config, trusted_root
from states.errors import HostError, Refused

SECONDS: Final = 120.0
SHOWN: Final = 300  # characters of what a verifier says
# A wide terminal, so that no sentence is folded; no bytecode, since nothing is to be written.
ENVIRONMENT: Final = {"COLUMNS": "2000", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_PLACE: Final = re.compile(r"\s+\w+[.]py:[0-9]+$")  # sigstore's log says where in its source it stands
REMINDER: Final = "For detailed error information"
KINDS: Final = frozenset(
    {"application/vnd.dev.sigstore.bundle.v0.3+json", "application/vnd.dev.sigstore.bundle+json;version=0.3"}
)


@attrs.frozen
class Verdict:
    """Whether the archive is signed as wanted, by which program that was found, and what it said of a refusal."""

    good: bool
    by: str
    said: str = ""


def ask(paths: Paths, sha256: str, bundle: Path, identity: str, issuer: str) -> Verdict:
    """Return the verdict on the archive of that digest (hexadecimal) and its bundle.

    Raises:
        Refused: the bundle is none of the pinned kind, or the site's own root of trust is none.
        HostError: the host has no verifier, or it did not end.

    """
    data = read_small(bundle)
    refuse_other_kinds(data, bundle)
    name, program = _verifier(paths)
    root = trusted_root(paths)
    with _handed(data) as signed, _handed(client_config(root) if name == "sigstore" else root) as trust:
        words = _WORDS[name](trust, signed, identity, issuer)
        done = run([program, *words, f"sha256:{sha256}"], seconds=SECONDS, environment=ENVIRONMENT)
    return Verdict(done.status == 0, name, reason(done))


@contextmanager
def _handed(data: bytes) -> Iterator[Path]:
    """Give a path at which a child reads these bytes; they are in no directory, and gone afterwards."""
    handle = os.memfd_create("pharos-hpc")
    try:
        os.pwrite(handle, data, 0)
        yield Path(f"/proc/{os.getpid()}/fd/{handle}")
    finally:
        os.close(handle)


def reason(done: Completed) -> str:
    """Return the error that a verifier told, on one printable line; a certificate's names are not ours."""
    lines = [_PLACE.sub("", line).strip() for line in (done.stderr.strip() or done.stdout.strip()).splitlines()]
    told = [line for line in lines if line and not line.startswith(REMINDER)]
    last = max((number for number, line in enumerate(told) if _is_error(line)), default=-1)
    text = " ".join(told[last:]).partition("ERROR ")
    plain = "".join(sign if sign.isprintable() else "?" for sign in " ".join((text[2] or text[0]).split()))
    return plain[:SHOWN] or f"status {done.status}"


def _is_error(line: str) -> bool:
    return "ERROR " in line or line.startswith("Error:")


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
    words = ("--bundle", bundle, "--cert-identity", identity, "--cert-oidc-issuer", issuer)
    return ["--trust-config", trust, "verify", "identity", "--offline", *words]


def _cosign(trust: Path, bundle: Path, identity: str, issuer: str) -> list[str | Path]:
    words = ("--bundle", bundle, "--certificate-identity", identity, "--certificate-oidc-issuer", issuer)
    return ["verify-blob", "--trusted-root", trust, *words]


_WORDS: Final = {"sigstore": _sigstore, "cosign": _cosign}
