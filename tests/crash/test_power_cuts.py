"""Real power cuts, sampled; `make crash` tries every point. The seed is printed, and given to both file systems."""

import random
import subprocess
import sys

import pytest

from fixtures.crash.disk import impossible
from fixtures.site import REPOSITORY

SEED = random.SystemRandom().randrange(1_000_000)


def crash(*words: str) -> str:
    command = [sys.executable, "-m", "fixtures.crash", "--seed", str(SEED), *words]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=280)
    print(done.stdout)
    assert done.returncode == 0, f"seed {SEED}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.skipif(bool(impossible()), reason=impossible() or "possible")
@pytest.mark.parametrize(("kind", "disks"), [("ext4", "3"), ("xfs", "1")])
def test_a_power_cut_anywhere_ends_in_one_release_or_the_other(kind: str, disks: str) -> None:
    said = crash("--points", "8", "--disks", disks, "--only", "upgrade", kind)
    assert ": 8 of " in said
    assert " 0 violations" in said
