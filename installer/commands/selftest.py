"""`selftest --power-cut DIR`: this machine's own file systems lose power at every call of an activation."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from installer import exits
from installer.answer import say
from installer.environment import Caller
from installer.host import identity, powercut
from installer.host.powercut import MEGABYTES, Disk
from installer.host.stream import Stream
from installer.selftest.power_cut import Result, enumerate_cuts

WHAT: Final = """\
pharos-hpc selftest: power cuts. File systems are made in files below '{directory}' (up to {megabytes} MB each), mounted
where only this process sees them, and cut off before each call of an activation; the service manager is in memory.
Nothing of this host's own file systems, units, accounts or releases is touched; the files are removed at the end."""


def main(args: Namespace, caller: Caller) -> int:  # noqa: ARG001  # every command's signature
    """Run the enumeration and return the exit code: 0 without a violation, else 1."""
    if not identity.is_root():
        Stream(2).write("pharos-hpc: cannot run selftest: it needs root, for loop devices and mounts")
        return exits.NEEDS_ROOT
    if not args.json:
        Stream(1).write(WHAT.format(directory=args.power_cut, megabytes=max(MEGABYTES.values())))
    results = tuple(_results(args.power_cut, tell=not args.json))
    rows = [{"file_system": r.kind, "scenario": r.scenario, "points": r.points, "violations": r.violations}
            for r in results]  # fmt: skip
    say(args, {"results": rows}, [_total(results)])
    return exits.REFUSED if any(result.violations for result in results) or not results else exits.DONE


def _results(directory: Path, *, tell: bool) -> Iterator[Result]:
    powercut.withdraw()
    with powercut.scratch(directory) as home:
        for kind in MEGABYTES:
            if powercut.usable(kind):
                yield from _told(Disk(kind, home / kind, home / "mount"), tell=tell)
            elif tell:
                Stream(1).write(f"{kind}: not tried, this machine has no mkfs.{kind}")


def _told(disk: Disk, *, tell: bool) -> Iterator[Result]:
    for result in enumerate_cuts(disk):
        if tell:
            lines = [f"{result.kind}, {result.scenario}: {result.points} points, {len(result.violations)} violations"]
            Stream(1).write("\n  ".join([*lines, *result.violations]))
        yield result


def _total(results: tuple[Result, ...]) -> str:
    points = sum(result.points for result in results)
    violations = sum(len(result.violations) for result in results)
    return f"in all: {points} points tried, {violations} violations"
