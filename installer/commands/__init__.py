"""One module a command: what it asks of the machine, and what it says."""
