"""What an activation is: verified, linked, units-installed, started, healthy, recorded. Start with activation.py."""
