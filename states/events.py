"""What an observer is told while the machine walks, as frozen values (spec 05 names the fields)."""

from collections.abc import Callable
from typing import TypeAlias

import attrs

from states.state import State


@attrs.frozen
class StepStarted:
    """A transition begins; `direction` is forward or back."""

    step: str
    direction: str
    at: State
    to: State


@attrs.frozen
class StepSucceeded:
    """The transition's action returned, and the state is claimed."""

    step: str
    direction: str
    at: State
    to: State


@attrs.frozen
class StepFailed:
    """The transition's action raised; the state is still `at`."""

    step: str
    direction: str
    at: State
    to: State
    error: Exception


Event: TypeAlias = StepStarted | StepSucceeded | StepFailed
Observer: TypeAlias = Callable[[Event], None]


def unobserved(_event: Event) -> None:
    """Observe nothing."""
