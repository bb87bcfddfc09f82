"""Waiting for what another process does by itself."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(true: Callable[[], T], seconds: float = 60) -> T:
    """Return the first answer that holds; the test fails when none does in time."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found
