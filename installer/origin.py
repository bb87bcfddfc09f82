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
    _same(candidate.archive, archive)
    if candidate.bundle and not is_installed(candidate.paths, candidate.program):
        return _asked(candidate)
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


def _same(path: Path, archive: Archive) -> None:
    if read_package(path).sums != read_small(archive.directory / "SHA256SUMS"):
        raise Refused(f"cannot install: '{archive.directory}' was not unpacked from '{path}'", hint=HINT)


def _asked(candidate: Candidate) -> Signature:
    """Have the active release's program verify: the archive's own, which we are, never vouches for itself."""
    program = candidate.paths.opt / "current/pharos-hpc"
    if not program.is_file():
        raise Refused(
            "cannot verify a signature before anything is installed",
            hint="verify it on a workstation, and compare the digest here: --expect-sha256 HEX",
        )
    words = ["check", "--json", "--archive", str(candidate.archive), "--bundle", str(candidate.bundle)]
    root = candidate.paths.root
    sandbox = {} if root == Path("/") else {"PHAROS_HPC_ROOT": str(root)}
    done = run([sys.executable, "-I", "-S", program.resolve(), *words], seconds=SECONDS, environment=sandbox)
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
    return Candidate(caller.paths, args.program, args.archive, args.bundle, expected, now())
