"""Area `package`: a release archive that is not unpacked yet, by `check --archive FILE`; nothing of it runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from installer import package
from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.host.files import RealFiles
from installer.host.verifier import ask
from installer.package import Package, read_package
from installer.paths import Paths
from installer.signature import ERROR, ISSUER, PINNED, REFUSED, VERIFIED, Signature, identity_of
from states.errors import HostError, Refused

AGAIN: Final = "fetch the archive again from where it was published"
BY_KIND: Final = {
    package.UNREADABLE: Rule("PH-PACKAGE-01", "it is a release archive", "gzip, plain USTAR, bounded", AGAIN),
    package.NAMES: Rule("PH-PACKAGE-02", "its names are harmless", "plain paths below its one directory", AGAIN),
    package.TWICE: Rule("PH-PACKAGE-03", "its names are unique", "also without regard to case", AGAIN),
    package.MODES: Rule("PH-PACKAGE-04", "its modes are harmless", "0644 or 0755", AGAIN),
    package.SUMS: Rule("PH-PACKAGE-05", "it is whole", "every file as SHA256SUMS says", AGAIN),
    package.MANIFEST: Rule("PH-PACKAGE-06", "it has a valid manifest", "a manifest of format 1", AGAIN),
}
DIGEST: Final = Rule("PH-PACKAGE-10", "it has the expected digest", "the one given by --expect-sha256", AGAIN)
SIGNED: Final = Rule(
    "PH-PACKAGE-11", "the release workflow signed it", "a bundle of the pinned identity and issuer", "do not unpack it"
)
VERIFIER: Final = Rule(
    "PH-PACKAGE-12", "the host can verify", "sigstore or cosign", "install one of them, or use --expect-sha256"
)
INSTALLED: Final = Rule(
    "PH-PACKAGE-13",
    "an installed pharos-hpc verifies it",
    "the program of the active release: an archive never vouches for itself",
    "/opt/pharos-hpc/current/pharos-hpc check --archive FILE --bundle FILE",
)
NEWER: Final = Rule(
    "PH-PACKAGE-14",
    "it is not older than the active release",
    "the same or a later release",
    "pharos-hpc rollback, or --allow-downgrade",
)
ORIGIN: Final = Rule(
    "PH-PACKAGE-15", "its origin was checked", "--bundle FILE, or --expect-sha256 HEX", "see docs/operator.md", WARNING
)
WHAT: Final = Rule("PH-PACKAGE-16", "what it is", "-", "-", FACT)
AREA: Final = "package"  # asked by `check --archive` alone
RULES: Final = (*BY_KIND.values(), DIGEST, SIGNED, VERIFIER, INSTALLED, NEWER, ORIGIN, WHAT)


@attrs.frozen
class Candidate:
    """An archive, and what is to be held against it; `program` is the file that asks, `at` the time (ISO 8601).

    With `downgrade` its release may be older than the active one.
    """

    paths: Paths
    program: Path
    archive: Path
    bundle: Path | None
    expected: str
    at: str
    downgrade: bool = False


def judged(candidate: Candidate) -> tuple[Signature, Package | None, list[Finding]]:
    """Return the archive's signature state, what it holds, and every finding."""
    try:
        found = read_package(candidate.archive)
    except Refused as error:
        return Signature(ERROR, at=candidate.at), None, [BY_KIND[package.UNREADABLE].broken(error.message, error.hint)]
    findings = [BY_KIND[kind].broken(text) for kind, text in found.faults]
    findings += _older(candidate, found)
    signature, more = _signature(candidate, found)
    findings += more
    release = found.manifest.release if found.manifest else "unknown"
    findings.append(WHAT.broken(f"release '{release}', sha256 {found.sha256}, signature: {signature.told()}"))
    return signature, found, findings


def _signature(candidate: Candidate, found: Package) -> tuple[Signature, list[Finding]]:
    blank = Signature(sha256=found.sha256, at=candidate.at)
    if candidate.expected and candidate.expected.lower() != found.sha256:
        return attrs.evolve(blank, state=REFUSED), [DIGEST.broken(f"its digest is {found.sha256}")]
    if candidate.bundle and found.manifest:
        return _verified(candidate, found.manifest.release, blank)
    if candidate.expected:
        return attrs.evolve(blank, state=PINNED), []
    return blank, [ORIGIN.broken("neither a signature nor a digest was given")]


def _verified(candidate: Candidate, release: str, blank: Signature) -> tuple[Signature, list[Finding]]:
    assert candidate.bundle is not None
    if not is_installed(candidate.paths, candidate.program):
        return blank, [INSTALLED.broken(f"'{candidate.program}' is not the active release's")]
    identity = identity_of(release)
    try:
        verdict = ask(candidate.paths, blank.sha256, candidate.bundle, identity, ISSUER)
    except Refused as error:
        return attrs.evolve(blank, state=REFUSED), [SIGNED.broken(error.message, error.hint)]
    except HostError as error:
        return attrs.evolve(blank, state=ERROR), [VERIFIER.broken(error.message, error.hint)]
    if not verdict.good:
        return attrs.evolve(blank, state=REFUSED), [SIGNED.broken(f"{verdict.by} says: {verdict.said}")]
    return attrs.evolve(blank, state=VERIFIED, identity=identity, issuer=ISSUER, by=verdict.by), []


def is_installed(paths: Paths, program: Path) -> bool:
    """Return whether the program is the one of the active release."""
    current = RealFiles(paths).link("current")
    return current is not None and program.parent == paths.release(current)


def _older(candidate: Candidate, found: Package) -> Iterator[Finding]:
    """Ids of numbers, as ours are, have an order; others have none."""
    current = RealFiles(candidate.paths).link("current")
    if current is None or found.manifest is None or candidate.downgrade:
        return
    mine, active = _numbers(found.manifest.release), _numbers(current)
    if mine and active and mine < active:
        yield NEWER.broken(f"it is release '{found.manifest.release}', active is '{current}'")


def _numbers(release: str) -> tuple[int, ...]:
    parts = release.split(".")
    return tuple(map(int, parts)) if all(part.isascii() and part.isdigit() for part in parts) else ()
