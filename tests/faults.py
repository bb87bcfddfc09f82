"""Faults at any call that the steps make on the host: the n-th call is broken, once or from then on."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from states.errors import HostError


class Kind(Enum):
    """How a call breaks: not done and told so; done and told it was not; killed before; killed after."""

    FAILS_BEFORE = "fails-before"
    FAILS_AFTER = "fails-after"
    KILLED_BEFORE = "killed-before"
    KILLED_AFTER = "killed-after"

    @property
    def kills(self) -> bool:
        return self in {Kind.KILLED_BEFORE, Kind.KILLED_AFTER}


class Killed(BaseException):
    """kill -9: nothing below may catch this."""


class Faulty:
    """A host that counts the calls made on it and breaks those that `faults` maps to a kind."""

    def __init__(self, real: Any, faults: Callable[[int], Kind | None] = lambda _: None) -> None:
        self.real = real
        self.breaks = faults
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.real, name)

        def call(*args: Any) -> Any:
            kind = self.breaks(len(self.calls))
            self.calls.append(name)
            if kind is Kind.KILLED_BEFORE:
                raise Killed
            if kind is Kind.FAILS_BEFORE and name != "pause":
                raise HostError(f"cannot {name}: injected before")
            result = method(*args)
            if kind is Kind.KILLED_AFTER:
                raise Killed
            if kind is Kind.FAILS_AFTER and name != "pause":
                raise HostError(f"cannot {name}: injected after")
            return result

        return call


def at(number: int, kind: Kind) -> Callable[[int], Kind | None]:
    """Break only the call of that number."""
    return lambda call: kind if call == number else None


def from_then_on(number: int, kind: Kind) -> Callable[[int], Kind | None]:
    """Break every call from that number."""
    return lambda call: kind if call >= number else None


def both(first: tuple[int, Kind], second: tuple[int, Kind]) -> Callable[[int], Kind | None]:
    """Break two calls."""
    return lambda call: dict([first, second]).get(call)
