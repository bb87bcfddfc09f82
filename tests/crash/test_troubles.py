"""Full disks, read-only file systems and failing system calls, sampled; the seed is printed."""

import random
import subprocess
import sys

import pytest

from fixtures.crash.disk import impossible
from fixtures.site import REPOSITORY

SEED = random.SystemRandom().randrange(1_000_000)


@pytest.mark.skipif(bool(impossible()), reason=impossible() or "possible")
@pytest.mark.parametrize(
    ("module", "only"), [("troubles", "configure"), ("troubles", "upgrade"), ("faults", "upgrade")]
)
def test_what_the_exit_code_says_is_true_and_recovery_ends_in_one_of_two(module: str, only: str) -> None:
    words = ["--only", only, "--budget", "8", "--seed", str(SEED)]
    command = [sys.executable, "-m", f"fixtures.crash.{module}", *words]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200)
    print(done.stdout)
    assert done.returncode == 0, f"seed {SEED}\n{done.stdout}{done.stderr}"
    assert " 0 violations" in done.stdout
