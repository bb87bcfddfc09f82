"""What an operator sees on a terminal: a line a step, a spinner on what takes long, and one last sentence."""

import signal
import time
from collections.abc import Mapping
from types import FrameType
from typing import Any, Final

from installer.environment import Caller
from installer.host import identity
from installer.host.stream import Stream
from states.errors import PharosError

GOOD: Final = "✓"
BAD: Final = "✗"
FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
WORDS: Final = {
    "link": ("links", "links as before"),
    "install_units": ("unit files", "unit files as before"),
    "start": ("start", "what was started is stopped"),
    "probe": ("health", "health: nothing to undo"),
    "record": ("record", "record as before"),
    "resume": ("", "previous release serves again"),
}


class Terminal:
    """Listens to the log's events and draws them; `color` only on a terminal without NO_COLOR."""

    def __init__(self, out: Stream, *, color: bool, columns: int, animate: bool) -> None:
        self._out = out
        self._color = color
        self._columns = columns
        self._spinner = Spinner(out, columns) if animate else None

    def hear(self, event: Mapping[str, Any]) -> None:
        """Draw one event of the log."""
        name = str(event["event"])
        if name.endswith(".started") and ("step" in event or "doing" in event):
            self._begin(self._what(event))
        elif name.endswith(".succeeded"):
            self._line(GOOD, "32", f"{self._what(event):<34} {event['duration_s']:.1f} s")
        elif name.endswith(".failed"):
            self._failed(event)
        elif name in {"interrupted.found", "signal.deferred", "note"}:
            self._line("!", "33", str(event["message"]))
        elif name == "run.finished":
            self._end(event)

    def _end(self, event: Mapping[str, Any]) -> None:
        """Say in one sentence how it ended, what is not restored, and what to do next."""
        good = event["exit_code"] == 0
        for detail in event.get("differences", ()):
            self._line(" ", "31", f"not restored: {detail}")
        self._line(GOOD if good else BAD, "32" if good else "31", str(event["message"]))
        if event.get("hint"):
            self._line(" ", "2", f"next: {event['hint']}")

    def _failed(self, event: Mapping[str, Any]) -> None:
        error = event.get("error", {})
        self._line(BAD, "31", f"{self._what(event)}: {error.get('message', '')}")
        for line in error.get("tail", ())[-10:]:
            self._line(" ", "2", f"  | {line}")
        for line in error.get("faults", ())[1:]:
            self._line(" ", "31", f"  {line}")

    @staticmethod
    def _what(event: Mapping[str, Any]) -> str:
        if "doing" in event:
            return str(event["doing"])
        forward, back = WORDS[str(event["step"])]
        return back if event["direction"] == "back" else forward

    def _begin(self, what: str) -> None:
        if self._spinner:
            self._spinner.start(what)

    def _line(self, mark: str, color: str, text: str) -> None:
        if self._spinner:
            self._spinner.stop()
        painted = f"\x1b[{color}m{mark}\x1b[0m" if self._color else mark
        self._out.write(f"{painted} {text}")


class Spinner:
    """Turns after a second, from a timer signal: no thread, so that forking stays safe (setitimer(2))."""

    def __init__(self, out: Stream, columns: int) -> None:
        self._out = out
        self._columns = columns
        self._what = ""
        self._began = 0.0
        self._drawn = False
        signal.signal(signal.SIGALRM, self._turn)

    def start(self, what: str) -> None:
        """Begin to wait for something."""
        self._what, self._began = what, time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 1.0, 0.1)

    def stop(self) -> None:
        """Remove what was drawn."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._drawn:
            self._draw("")
        self._drawn = False

    def _turn(self, _signal: int, _frame: FrameType | None) -> None:
        seconds = time.monotonic() - self._began
        self._draw(f"{FRAMES[int(seconds * 10) % len(FRAMES)]} {self._what} {seconds:.0f} s"[: self._columns - 1])
        self._drawn = True

    def _draw(self, text: str) -> None:
        self._out.raw(f"\r\x1b[2K{text}")


def drawn(caller: Caller) -> Terminal | None:
    """Return what draws on standard output; None when that is no terminal."""
    if not identity.is_terminal(1):
        return None
    color = not caller.no_color and caller.term not in {"", "dumb"}
    return Terminal(Stream(1), color=color, columns=caller.columns, animate=color)


def sentence(error: PharosError) -> str:
    """Return an error as it is printed: the sentence, and the hint on a line of its own."""
    return f"pharos-hpc: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else "")
