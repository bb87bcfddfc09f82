"""Where an archive comes from, as `install` records it: what the installed program, or a noted digest, says of it."""

import re
import sys
from argparse import Namespace
from pathlib import Path
from typing import Final

from installer import jsontext, signature
from installer.archive import Archive
from installer.checks.package import Candidate, is_installed, judged
from installer.checks.rule import ERROR
from installer.clock import now
from installer.environment import Caller
from installer.host.process import run
from installer.host.reading import read_small
from installer.package import read_package
from installer.paths import Paths
from installer.signature import Signature
from states.errors import HostError, Refused

SECONDS: Final = 300.0
HINT: Final = "nothing was changed; pharos-hpc check --archive FILE"


def origin(candidate: Candidate | None, archive: Archive) -> Signature:
    """Return what is known of the archive that `archive` was unpacked from; nothing, where none was named.

    Raises:
        Refused: the file is not what was unpacked, or is not as expected.

    """
    if candidate is None:
        return Signature()
    digest = _same(candidate.archive, archive)
    ours = is_installed(candidate.paths, candidate.program)
    found = _asked(candidate, candidate.bundle) if candidate.bundle and not ours else _judged(candidate)
    if found.sha256 != digest:
        raise Refused(f"cannot install: '{candidate.archive}' was changed meanwhile", hint=HINT)
    return found


def _judged(candidate: Candidate) -> Signature:
    found, _, findings = judged(candidate)
    wrong = [finding for finding in findings if finding.rule.severity == ERROR]
    if wrong:
        raise Refused(f"cannot install this archive: {wrong[0].found}", hint=HINT)
    return found


def enforce(found: Signature, wanted: str | None, paths: Paths) -> None:
    """Raise `Refused` unless the origin is what ARCHIVE_TRUST wants; nothing is there yet that could verify a first."""
    first = not (paths.opt / "current").is_symlink()
    if not found.fulfils(signature.PINNED if first and wanted else wanted):
        raise Refused(
            f"cannot install this archive: its origin is '{found.state}', ARCHIVE_TRUST in site.env wants '{wanted}'",
            hint="install --archive FILE with --bundle FILE or --expect-sha256 HEX",
            facts={"signature": found.state, "wanted": wanted},
        )


def _same(path: Path, archive: Archive) -> str:
    """Return the digest of the file that the archive was unpacked from; raise `Refused` when it was not."""
    package = read_package(path)
    if package.sums != read_small(archive.directory / "SHA256SUMS"):
        raise Refused(f"cannot install: '{archive.directory}' was not unpacked from '{path}'", hint=HINT)
    return package.sha256


def _asked(candidate: Candidate, bundle: Path) -> Signature:
    """Have the active release's program verify: the archive's own never vouches for itself."""
    program = candidate.paths.opt / "current/pharos-hpc"
    if not program.is_file():
        raise Refused(
            "cannot verify a signature before anything is installed",
            hint="verify it on a workstation, and compare the digest here: --expect-sha256 HEX",
        )
    words: list[str | Path] = [
        "check",
        "--json",
        "--archive",
        candidate.archive.absolute(),
        "--bundle",
        bundle.absolute(),
    ]
    more = [f"--expect-sha256={candidate.expected}"] + ["--allow-downgrade"] * candidate.downgrade
    root = candidate.paths.root
    sandbox = {} if root == Path("/") else {"PHAROS_HPC_ROOT": str(root)}
    done = run([sys.executable, "-I", "-S", program.resolve(), *words, *more], seconds=SECONDS, environment=sandbox)
    try:
        answer = jsontext.loads(done.stdout)
        wrong = [row["found"] for row in answer["findings"] if row["severity"] == ERROR]
        found = Signature(**answer["signature"])
    except (ValueError, KeyError, TypeError) as error:
        raise HostError(f"cannot understand '{program}' (status {done.status})") from error
    if wrong:
        raise Refused(f"cannot install this archive: {wrong[0]}", hint=HINT)
    return found


def candidate(args: Namespace, caller: Caller) -> Candidate | None:
    """Return the archive that the command line names, and what is to be held against it; None where it names none.

    Raises:
        Refused: proof is given without an archive, or is no digest.

    """
    expected = args.expect_sha256
    if args.archive is None:
        if args.bundle or expected:
            raise Refused("cannot use --bundle or --expect-sha256 without --archive FILE", hint="name the archive")
        return None
    if expected and not re.fullmatch(r"[0-9a-fA-F]{64}", expected):
        raise Refused("cannot compare: --expect-sha256 takes 64 hexadecimal digits", hint="sha256sum FILE shows them")
    given = (args.archive, args.bundle, expected)
    return Candidate(caller.paths, args.program, *given, at=now(), downgrade=args.allow_downgrade)
