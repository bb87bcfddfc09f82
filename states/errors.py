"""What can go wrong, in the words an operator reads.

PharosError               worded by us: a message, and a hint that says what to do now
├── Refused               nothing was changed
├── HostError             the host refused an effect, or did not answer a question
├── Unhealthy             a probe got no good answer
└── Interrupted           somebody asked us to stop
"""

from collections.abc import Mapping


class PharosError(Exception):
    """Base of every error that this program words itself.

    `message` is lower case, without a full stop; `hint` says what to do now; `facts` are what an operator
    needs beside the sentence (unit, path, url, status, tail of output), for the log.
    """

    def __init__(self, message: str, *, hint: str = "", facts: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.facts: Mapping[str, object] = dict(facts or {})


class Refused(PharosError):
    """The request cannot be granted; nothing was changed."""


class HostError(PharosError):
    """The host refused an effect, or did not answer a question."""


class Unhealthy(PharosError):
    """A probe got no good answer."""


class Interrupted(PharosError):
    """Somebody asked us to stop; raised at safe points of the way forward only."""
