"""The machine: the table of activation.py, walked forward, and back when a step fails.

The action of a row is in `before`: transitions 0.9.3 changes the state only after it returned, so a state is always
a true claim. Every undo row is valid from both ends of its arrow: the self-loop undoes a half-done step. Forward rows
heed signals (`prepare`), undo rows do not: a walk back cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from transitions import EventData, Machine

from states import resume
from states.activation import STEPS
from states.events import Observer, StepFailed, StepStarted, StepSucceeded, unobserved
from states.host import Host
from states.observed import differences, observe
from states.outcome import Outcome, PreviousRelease, Recorded, Stuck
from states.plan import Plan, WayBack
from states.state import FINAL, State
from states.step import Do, Step, Undo

if TYPE_CHECKING:
    from transitions.core import TransitionConfigDict

TRIES: Final = 3  # of an undo that raises
PAUSE: Final = 1.0  # seconds between them


class Activation:
    """One run of the machine over one host: forward along a plan, or only the way back."""

    state: State  # kept by the machine

    def __init__(
        self,
        host: Host,
        way: Plan | WayBack,
        observer: Observer = unobserved,
        *,
        at: State = State.VERIFIED,
    ) -> None:
        """Stand at `at`: whoever holds a plan is verified; recovery starts where a killed run can have been."""
        self.host = host
        self.plan = way if isinstance(way, Plan) else None
        self.back = way.back if isinstance(way, Plan) else way
        self.tell = observer
        MACHINE.add_model(self, initial=at)

    def run(self) -> Outcome:
        """Advance to recorded, or come back to the previous release, or be stuck."""
        try:
            return self._forward()
        finally:
            MACHINE.remove_model(self)

    def walk_back(self, cause: Exception) -> Outcome:
        """Only the way back, as recovery needs it."""
        try:
            return self._back(cause)
        finally:
            MACHINE.remove_model(self)

    def _forward(self) -> Outcome:
        assert self.plan is not None, "internal error: only a plan leads forward"
        for step in STEPS:
            try:
                self._fire(step.name, "forward")
            except Exception as cause:  # noqa: BLE001  # whatever it was, the host goes back
                return self._back(cause)
        return Recorded(self.plan.next)

    def _back(self, cause: Exception) -> Outcome:
        """Undo the step that starts here, then each before it, then resume; then look whether it is true."""
        names = way_back(self.state)
        for number, name in enumerate(names):
            if error := self._retry(lambda name=name: self._fire(name, "back")):  # type: ignore[misc]
                failures = (error, *self._try_the_others(names[number + 1 :]))
                self._fire("give_up", "back")
                return self._told(cause, failures)
        return self._told(cause, ())

    def _retry(self, action: Callable[[], None]) -> Exception | None:
        failed: Exception | None = None
        for attempt in range(TRIES):
            try:
                action()
            except Exception as error:  # noqa: BLE001  # an undo is retried, whatever it met
                failed = error
                if attempt + 1 < TRIES:
                    self.host.patience.pause(PAUSE)
            else:
                return None
        return failed

    def _try_the_others(self, names: list[str]) -> Iterator[Exception]:
        """Run the rest of the way back outside the machine: its states would not be true any more."""
        undos: dict[str, Undo] = {step.undo_name: step.undo for step in STEPS}
        for name in names:
            action = undos.get(name, resume.serve)  # never resume.do: the in-flight flag stays up
            if error := self._retry(lambda action=action: action(self.back, self.host)):  # type: ignore[misc]
                yield error

    def _told(self, cause: Exception, failures: tuple[Exception, ...]) -> Outcome:
        """Only a host that is what a record says may be reported so, even after an undo that failed."""
        try:
            record = self.host.files.record()
            left = differences(record, observe(self.host, record))
        except Exception as error:  # noqa: BLE001  # a host that cannot be read is not settled
            return Stuck(self.back.record, cause, (*failures, error), ())
        if left:
            return Stuck(self.back.record, cause, failures, left)
        if record is not None and self.plan is not None and record == self.plan.next != self.back.record:
            return Recorded(record)
        return PreviousRelease(record, cause)

    def _fire(self, trigger: str, direction: str) -> None:
        to = DESTINATIONS[trigger]
        at = self.state
        self.tell(StepStarted(trigger, direction, at, to))
        try:
            MACHINE.events[trigger].trigger(self)
        except Exception as error:
            self.tell(StepFailed(trigger, direction, at, to, error))
            raise
        self.tell(StepSucceeded(trigger, direction, at, to))


def way_back(at: State) -> list[str]:
    """Return the triggers of the way back; from `healthy`: undo_record, undo_probe, ... undo_link, resume."""
    here = [step.at for step in STEPS].index(at)
    return [*(step.undo_name for step in reversed(STEPS[: here + 1])), "resume"]


def rows(step: Step) -> list[TransitionConfigDict]:
    """Return the step's rows: forward, and back from either end of the arrow (`do` may have stopped half way)."""
    ends = [step.at] if step.to in FINAL else [step.at, step.to]
    forward: TransitionConfigDict = {
        "trigger": step.name,
        "source": step.at,
        "dest": step.to,
        "prepare": heed,
        "before": advance(step.do),
    }
    return [
        forward,
        {"trigger": step.undo_name, "source": ends, "dest": step.at, "before": retreat(step.undo)},
    ]


def advance(action: Do) -> Callable[[EventData], None]:
    """Return the callback that does a step along the run's plan."""

    def callback(event: EventData) -> None:
        run = _run(event)
        assert run.plan is not None, "internal error: only a plan leads forward"
        action(run.plan, run.host)

    return callback


def retreat(action: Undo) -> Callable[[EventData], None]:
    """Return the callback that undoes a step, given the way back only."""

    def callback(event: EventData) -> None:
        run = _run(event)
        action(run.back, run.host)

    return callback


def heed(event: EventData) -> None:
    """Stop here if somebody asked for it: the step before is done, the next has not begun."""
    _run(event).host.patience.heed()


def _run(event: EventData) -> Activation:
    run = event.model
    assert isinstance(run, Activation)
    return run


TRANSITIONS: Final[list[TransitionConfigDict]] = [
    *(row for step in STEPS for row in rows(step)),
    {
        "trigger": "resume",
        "source": State.VERIFIED,
        "dest": State.PREVIOUS_RELEASE,
        "before": retreat(resume.do),
    },
    {"trigger": "give_up", "source": [step.at for step in STEPS], "dest": State.STUCK},
]

DESTINATIONS: Final[dict[str, State]] = {
    **{step.name: step.to for step in STEPS},
    **{step.undo_name: step.at for step in STEPS},
    "resume": State.PREVIOUS_RELEASE,
    "give_up": State.STUCK,
}

MACHINE: Final = Machine(
    model=None,
    states=State,
    initial=State.VERIFIED,
    transitions=TRANSITIONS,
    auto_transitions=False,  # nobody jumps
    send_event=True,
)
