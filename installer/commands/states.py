"""`states`: the state graph, from the table that runs."""

from argparse import Namespace

from installer import exits
from installer.answer import say
from installer.environment import Caller


def main(args: Namespace, _caller: Caller) -> int:
    """Print the graph as Mermaid or in Graphviz' language."""
    from states.diagram import dot, edges, mermaid

    graph = dot() if args.format == "dot" else mermaid()
    say(args, {"edges": [{"from": a, "trigger": t, "to": b} for a, t, b in edges()]}, [graph])
    return exits.DONE
