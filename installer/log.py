"""The JSON step log (spec 05): one object an event, to every sink; the only module that knows structlog."""

import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from installer.host.sinks import Sink
from states.errors import PharosError
from states.events import Event, StepFailed, StepStarted, StepSucceeded

FIELDS: Final = {
    "transaction": "PHAROS_TRANSACTION",
    "command": "PHAROS_COMMAND",
    "step": "PHAROS_STEP",
    "release": "PHAROS_RELEASE",
    "outcome": "PHAROS_OUTCOME",
}

Listener = Callable[[Mapping[str, Any]], None]


class StepLog:
    """Writes the events of one run; `base` holds what every event has (spec 05).

    A sink or a listener that fails never fails a step.
    """

    def __init__(self, base: Mapping[str, object], sinks: Sequence[Sink], listener: Listener = lambda _: None) -> None:
        import structlog

        self._began = time.monotonic()
        self._listener = listener
        self._sinks = tuple(sinks)
        self._logger = structlog.wrap_logger(
            object(),  # never asked: the last processor delivers, and drops
            processors=[structlog.processors.add_log_level, _now, self._deliver],
        ).bind(**base)

    def event(self, name: str, level: str = "info", /, **fields: object) -> None:
        """Write one event."""
        getattr(self._logger, level)(name, **fields)

    def bind(self, **fields: object) -> None:
        """Have all further events carry these fields."""
        self._logger = self._logger.bind(**fields)

    def elapsed(self) -> float:
        """Return the seconds since the last step, or the run, began."""
        return round(time.monotonic() - self._began, 6)

    def observe(self, event: Event) -> None:
        """Write what the machine tells: step.*, compensation.* or resume.*; `give_up` is told by run.finished."""
        if event.step == "give_up":
            return
        name = f"{_family(event)}.{_VERBS[type(event)]}"
        fields: dict[str, object] = {
            "step": event.step.removeprefix("undo_"),
            "direction": event.direction,
            "from": str(event.at),
            "to": str(event.to),
        }
        if isinstance(event, StepStarted):
            self._began = time.monotonic()
        else:
            fields["duration_s"] = self.elapsed()
        if isinstance(event, StepFailed):
            self.event(name, "error", **fields, error=error_fields(event.error))
        else:
            self.event(name, **fields)

    def _deliver(self, _logger: object, _name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        import json

        import structlog

        text = json.dumps(event, default=str, ensure_ascii=False)
        fields = {journal: str(event[name]) for name, journal in FIELDS.items() if event.get(name) is not None}
        for sink in self._sinks:
            sink.write(text, str(event["level"]), fields)
        self._listener(event)
        raise structlog.DropEvent


_VERBS: Final = {StepStarted: "started", StepSucceeded: "succeeded", StepFailed: "failed"}


def _family(event: Event) -> str:
    if event.step == "resume":
        return "resume"
    return "compensation" if event.direction == "back" else "step"


def error_fields(error: BaseException) -> dict[str, object]:
    """Return an error as the log tells it: type, message, hint, and what an operator needs (unit, path, url, tail)."""
    if isinstance(error, PharosError):
        return {"type": type(error).__name__, "message": error.message, "hint": error.hint, **error.facts}
    return {"type": type(error).__name__, "message": f"internal error: {error}"}


def _now(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    event["timestamp"] = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return event
