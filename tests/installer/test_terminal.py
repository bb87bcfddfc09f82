"""What an operator sees, event by event, on a real pseudo terminal's handle or a pipe."""

import os
import select
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from installer.host.stream import Stream
from installer.terminal import Terminal, sentence
from states.errors import HostError

STEP = {"step": "link", "direction": "forward"}
Screen = tuple[Stream, Callable[[], str]]


@pytest.fixture
def screen() -> Iterator[Screen]:
    """Give a stream, and what returns all that was written to it so far."""
    reading, writing = os.pipe()

    def text() -> str:
        return os.read(reading, 65536).decode() if select.select([reading], [], [], 0)[0] else ""

    yield Stream(writing), text
    os.close(reading)
    os.close(writing)


def drawn(screen: Screen, *events: Mapping[str, Any], color: bool = False) -> list[str]:
    out, text = screen
    terminal = Terminal(out, color=color, columns=80, animate=False)
    for event in events:
        terminal.hear(event)
    return text().splitlines()


def test_a_step_is_one_line_when_it_is_done(screen: Screen) -> None:
    lines = drawn(
        screen,
        {"event": "step.started", **STEP},
        {"event": "step.succeeded", **STEP, "duration_s": 0.04},
        {"event": "compensation.succeeded", "step": "link", "direction": "back", "duration_s": 1.26},
        {"event": "resume.succeeded", "step": "resume", "direction": "back", "duration_s": 0},
        {"event": "task.succeeded", "doing": "verification", "duration_s": 2},
    )
    assert [" ".join(line.split()) for line in lines] == [
        "✓ links 0.0 s",
        "✓ links as before 1.3 s",
        "✓ previous release serves again 0.0 s",
        "✓ verification 2.0 s",
    ]


def test_a_failure_is_told_first_with_the_last_ten_lines_of_the_unit(screen: Screen) -> None:
    error = {"message": "unit 'x' is failed", "tail": [f"line {number}" for number in range(12)]}
    lines = drawn(screen, {"event": "step.failed", "step": "probe", "direction": "forward", "error": error})
    assert lines[0] == "✗ health: unit 'x' is failed"
    assert lines[1] == "    | line 2"
    assert len(lines) == 11


def test_every_fault_of_a_refusal_is_a_line(screen: Screen) -> None:
    error = {"message": "cannot activate: one (and 2 more)", "faults": ["one", "two", "three"]}
    lines = drawn(screen, {"event": "task.failed", "doing": "verification", "error": error})
    assert [line.strip() for line in lines] == ["✗ verification: cannot activate: one (and 2 more)", "two", "three"]


def test_the_end_names_what_is_not_restored_and_what_to_do(screen: Screen) -> None:
    end = {"event": "run.finished", "exit_code": 4, "message": "not all could be restored", "hint": "recover"}
    lines = drawn(screen, {**end, "differences": ["'current' names nothing"]})
    assert lines == [
        "  not restored: 'current' names nothing",
        "✗ not all could be restored",
        "  next: recover",
    ]
    assert drawn(screen, {"event": "run.finished", "exit_code": 0, "message": "done", "hint": ""}) == ["✓ done"]


def test_what_was_found_of_an_earlier_run_is_a_warning(screen: Screen) -> None:
    assert drawn(screen, {"event": "interrupted.found", "message": "walking back first"}) == ["! walking back first"]
    assert drawn(screen, {"event": "run.started"}) == []


def test_colour_is_asked_for(screen: Screen) -> None:
    (line,) = drawn(screen, {"event": "run.finished", "exit_code": 0, "message": "done"}, color=True)
    assert line == "\x1b[32m✓\x1b[0m done"


def test_a_wait_of_more_than_a_second_turns_a_spinner_that_leaves_no_trace(screen: Screen) -> None:
    out, text = screen
    terminal = Terminal(out, color=False, columns=12, animate=True)
    terminal.hear({"event": "task.started", "doing": "verification of everything"})
    seen = ""
    while seen.count("\r") < 3:
        assert select.select([out.handle], [], [], 5) is not None
        seen += text()
    terminal.hear({"event": "task.succeeded", "doing": "verification of everything", "duration_s": 1.5})
    frames = seen.split("\r\x1b[2K")
    assert all(len(frame) < 12 for frame in frames), "never wider than the terminal"
    assert text().startswith("\r\x1b[2K✓ ")


def test_an_error_is_a_sentence_with_its_hint_on_a_line_of_its_own() -> None:
    assert sentence(HostError("cannot x", hint="do y")) == "pharos-hpc: cannot x\n  hint: do y"
    assert sentence(HostError("cannot x")) == "pharos-hpc: cannot x"
