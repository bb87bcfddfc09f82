"""How an activation is done on a real host. Start with commands/activate.py; effects are in host/ only."""
