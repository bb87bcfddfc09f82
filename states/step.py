"""A step and the three laws it keeps."""

from collections.abc import Callable
from typing import TypeAlias

import attrs

from states.host import Host
from states.plan import Plan, WayBack
from states.state import State

Do: TypeAlias = Callable[[Plan, Host], None]
Undo: TypeAlias = Callable[[WayBack, Host], None]


@attrs.frozen
class Step:
    """One arrow of the activation, and the way back along it.

    1. `do` reaches `to` or raises. It may raise with anything half done.
    2. `undo` brings the host back to `at` from whatever `do` left (nothing, half, all), and may run twice.
    3. `undo` is given a `WayBack` only: the outgoing release and the record, so that another process can run it.
    """

    name: str
    at: State
    to: State
    do: Do
    undo: Undo

    @property
    def undo_name(self) -> str:
        """Return the trigger of the way back."""
        return f"undo_{self.name}"
