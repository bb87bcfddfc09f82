"""The table is total, its chain unbroken, and what is drawn of it is what runs."""

from pathlib import Path

import pytest

from installer.exits import MEANINGS
from states.activation import STEPS
from states.diagram import dot, edges, mermaid
from states.machine import MACHINE, way_back
from states.state import FINAL, State

DOCS = Path(__file__).parents[2] / "docs"


def test_the_chain_of_states_is_unbroken() -> None:
    assert [step.at for step in STEPS[1:]] == [step.to for step in STEPS[:-1]]
    assert (STEPS[0].at, STEPS[-1].to) == (State.VERIFIED, State.RECORDED)


@pytest.mark.parametrize("state", [state for state in State if state not in FINAL])
def test_every_state_has_one_way_forward_and_a_way_back(state: State) -> None:
    triggers = MACHINE.get_triggers(state)
    assert len([name for name in triggers if name in {step.name for step in STEPS}]) == 1
    assert way_back(state)[0] in triggers
    assert "give_up" in triggers


@pytest.mark.parametrize("state", sorted(FINAL, key=str))
def test_nothing_leads_out_of_a_final_state(state: State) -> None:
    assert not MACHINE.get_triggers(state)


def test_every_undo_is_valid_from_both_ends_of_its_arrow_but_the_commit() -> None:
    drawn = set(edges())
    for step in STEPS:
        assert (str(step.at), step.undo_name, str(step.at)) in drawn
        assert ((str(step.to), step.undo_name, str(step.at)) in drawn) == (step.to not in FINAL)


def test_a_module_a_trigger_and_an_undo_have_the_same_word() -> None:
    for step in STEPS:
        assert step.do.__module__ == step.undo.__module__ == f"states.{step.name}"


def test_the_documentation_shows_the_graph_and_the_exit_codes_that_run() -> None:
    text = (DOCS / "activation.md").read_text("utf-8")
    assert f"```mermaid\n{mermaid()}\n```" in text
    for code, meaning in MEANINGS.items():
        assert f"| {code} | {meaning} |" in text


def test_the_graph_is_drawn_in_both_languages() -> None:
    assert dot().count("->") == mermaid().count("-->") - len(FINAL) - 1
