"""Runs as units of their own, on systemd itself: these tests run inside a throwaway machine, started by one test."""
