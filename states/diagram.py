"""The state graph, drawn from the table that runs (mermaid, dot)."""

from collections.abc import Iterator

from states.machine import TRANSITIONS
from states.state import FINAL, State


def edges() -> Iterator[tuple[str, str, str]]:
    """Yield (source, trigger, destination) of every row of the machine, with the spec's names of the states."""
    for row in TRANSITIONS:
        sources = row["source"] if isinstance(row["source"], list) else [row["source"]]
        for source in sources:
            yield str(source), str(row["trigger"]), str(row["dest"])


def mermaid() -> str:
    """Return the graph as a Mermaid state diagram, one arrow a line."""
    arrows = [f"  {_id(source)} --> {_id(to)}: {trigger}" for source, trigger, to in edges()]
    names = [f'  state "{state}" as {_id(str(state))}' for state in State]
    ends = [f"  {_id(str(state))} --> [*]" for state in State if state in FINAL]
    return "\n".join(["stateDiagram-v2", *names, f"  [*] --> {_id(str(State.VERIFIED))}", *arrows, *ends])


def dot() -> str:
    """Return the graph in Graphviz' language."""
    arrows = [f'  "{source}" -> "{to}" [label="{trigger}"];' for source, trigger, to in edges()]
    ends = [f'  "{state}" [shape=doublecircle];' for state in State if state in FINAL]
    return "\n".join(["digraph activation {", "  rankdir=LR;", *ends, *arrows, "}"])


def _id(name: str) -> str:
    return name.replace("-", "_")
