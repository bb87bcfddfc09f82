"""`check --archive`: what is wrong with an archive has a code, and nothing of it is unpacked or run."""

import json
from pathlib import Path

import pytest

from fixtures import launch
from fixtures.hostile.archives import corpus, good
from fixtures.hostile.small import small_files
from installer import exits
from installer.checks.package import BY_KIND

FILES = small_files()
ONE_OF_EACH = {hostile.kind: hostile for hostile in corpus(FILES)}
CODES = {
    "unreadable": "PH-PACKAGE-01",
    "names": "PH-PACKAGE-02",
    "twice": "PH-PACKAGE-03",
    "modes": "PH-PACKAGE-04",
    "sums": "PH-PACKAGE-05",
    "manifest": "PH-PACKAGE-06",
}


def checked(root: Path, path: Path, code: int) -> set[str]:
    done = launch.run(root, root / "program", "check", "--archive", str(path), "--json")
    assert done.returncode == code, done.stdout + done.stderr
    return {row["code"] for row in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize("kind", CODES)
def test_each_kind_of_fault_has_its_code_and_nothing_is_written(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(ONE_OF_EACH[kind].data)
    assert BY_KIND[kind].code == CODES[kind]
    assert CODES[kind] in checked(tmp_path, path, exits.REFUSED)
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_good_archive_whose_origin_is_unknown_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(good(FILES))
    assert checked(tmp_path, path, exits.DONE) == {"PH-PACKAGE-15", "PH-PACKAGE-16"}
    assert sorted(tmp_path.iterdir()) == [path]


def test_an_archive_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert checked(tmp_path, tmp_path / "none.tar.gz", exits.REFUSED) == {"PH-PACKAGE-01"}
