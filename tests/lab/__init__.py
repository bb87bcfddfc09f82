"""The release qualified on throwaway Debian machines; `make lab` runs these."""
