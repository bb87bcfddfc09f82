"""`python -m states` prints the activation as a Mermaid diagram."""

from states.diagram import mermaid

if __name__ == "__main__":
    print(mermaid())  # noqa: T201  # this is its answer
