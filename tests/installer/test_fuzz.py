"""No bytes of a stranger's end in anything but an answer or a refusal of ours; found by what they reach (atheris)."""

import subprocess
import sys

import pytest

from fixtures.fuzz import readers

RUNS = 10_000
SEED = 1


@pytest.mark.parametrize("name", readers())
def test_no_bytes_break_a_reader(name: str) -> None:
    pytest.importorskip("atheris", reason="made for CPython 3.13 on x86_64")
    words = [sys.executable, "-m", "fixtures.fuzz", name, str(RUNS), str(SEED)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"Done {RUNS} runs" in done.stderr
