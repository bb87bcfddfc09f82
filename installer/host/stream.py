"""An open file descriptor to write to; closed, broken or full, it is without influence. Every start imports it."""

import os


class Stream:
    """A file descriptor, e.g. 1."""

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        """Write to `handle`."""
        self.handle = handle

    def write(self, text: str, level: str = "info", fields: object = None) -> bool:  # noqa: ARG002  # a Sink's signature
        """Write one line; return whether it was taken."""
        return self.raw(f"{text}\n")

    def raw(self, text: str) -> bool:
        """Write text as it is."""
        try:
            data = memoryview(text.encode("utf-8", "replace"))
            while data:
                data = data[os.write(self.handle, data) :]
        except OSError:
            return False
        return True
