"""`selftest --power-cut`: the same enumeration at a site, small as it is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.crash.disk import impossible
from fixtures.site import REPOSITORY
from installer.host import powercut
from installer.host.powercut import Disk
from installer.selftest import power_cut

MAKE = """
import json, sys
from pathlib import Path
from installer.host import powercut
from installer.selftest.power_cut import _keep, _point
disk = powercut.Disk("ext4", Path(sys.argv[1]) / "ext4", Path(sys.argv[1]) / "mount")
powercut.withdraw()
_keep(disk, sys.argv[2])
print(json.dumps([_point(disk, sys.argv[2], flush, number) for number in (0, 20, 40, 9999)
                  for flush in powercut.FLUSHES.values()]))
"""


@pytest.mark.skipif(bool(impossible()), reason=impossible() or "possible")
@pytest.mark.parametrize("scenario", sorted(power_cut.SCENARIOS))
def test_some_points_of_each_scenario_end_in_one_release_or_the_other(scenario: str, sandbox_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAKE, str(sandbox_dir), scenario],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"r' not in done.stdout, done.stdout
    assert done.stdout.count('""') == 8, done.stdout


def test_without_root_it_says_what_it_needs(sandbox_dir: Path) -> None:
    command = [sys.executable, "-m", "installer", "selftest", "--power-cut", str(sandbox_dir)]
    if os.geteuid() == 0:
        pytest.skip("we are root")
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 77
    assert "needs root" in done.stderr


def test_a_directory_that_is_not_there_is_refused(sandbox_dir: Path) -> None:
    command = [sys.executable, "-m", "installer", "selftest", "--power-cut", str(sandbox_dir / "absent")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in {1, 77}
    assert "Traceback" not in done.stderr
    assert Disk("ext4", sandbox_dir, sandbox_dir).kind in powercut.MEGABYTES
