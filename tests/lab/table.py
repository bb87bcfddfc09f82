"""The table at the end of `make lab`, and docs/qualification.md, which is made from it."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest

PROPERTY: Final = "qualified"
VERSIONS: Final = 0  # the item under which versions are told
AREAS: Final = {
    VERSIONS: "versions",
    1: "machines",
    2: "operator's procedure",
    3: "identities",
    4: "units",
    5: "journal",
    6: "health gates",
    7: "interruptions",
    8: "Slurm and LDAP",
    9: "SSH access",
    10: "downtime",
    11: "Site API's edge",
}
Row = tuple[int, int, str, str]  # area, number of the Debian, what was shown, its figure
HERE: Final = Path(__file__).parent


def show(reports: Iterable[Any], write: Callable[[str], None], page: str | None) -> None:
    """Write the table of what these test reports recorded; into a page too when one is named and all tests passed."""
    reports = [report for report in reports if isinstance(report, pytest.TestReport)]
    rows = collected(reports)
    if not rows:
        return
    widths = [max(len(AREAS[item]) for item, *_ in rows), max(len(what) for _, _, what, _ in rows)]
    write("")
    for item, debian, what, figure in rows:
        write(f"{AREAS[item]:<{widths[0]}}  {debian}  {what:<{widths[1]}}  {figure}")
    if page and not any(report.failed for report in reports):
        Path(page).write_text(rendered(rows), encoding="utf-8")


def collected(reports: list[Any]) -> list[Row]:
    """Return the rows that passed tests recorded, in the order of the qualification."""
    failed = {report.nodeid for report in reports if report.failed}
    given = [
        (item, debian, what, figure)
        for report in reports
        if report.when == "teardown" and report.nodeid not in failed
        for name, value in report.user_properties
        if name == PROPERTY
        for item, debian, what, figure in [value]
    ]
    return sorted(given, key=lambda row: (row[0], -row[1]))


def rendered(rows: list[Row]) -> str:
    """Return the page: versions, the table, and what all this does not establish."""
    debians = dict.fromkeys(debian for item, debian, *_ in rows if item == VERSIONS)
    versions = "\n".join(f"* {_versions(rows, debian)}" for debian in debians)
    lines = [f"| {AREAS[item]} | {debian} | {what} | {figure} |" for item, debian, what, figure in rows if item]
    frame = (HERE / "qualification.md.in").read_text(encoding="utf-8")
    return frame.replace("@VERSIONS@", versions).replace("@ROWS@", "\n".join(lines))


def _versions(rows: list[Row], wanted: int) -> str:
    return ", ".join(f"{what} {figure}" for item, debian, what, figure in rows if (item, debian) == (VERSIONS, wanted))
