"""Who and what this process is."""

import os


def is_root() -> bool:
    """Return whether the effective user is root."""
    return os.geteuid() == 0


def pid() -> int:
    """Return the process id."""
    return os.getpid()


def started(pid: int) -> str:
    """Return when a process was started (clock ticks since boot, proc(5)); empty when there is none of that number."""
    try:
        with open(f"/proc/{pid:d}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def host_name() -> str:
    """Return the host's name."""
    return os.uname().nodename


def new_transaction() -> str:
    """Return a new random UUID."""
    import uuid

    return str(uuid.uuid4())


def is_terminal(handle: int) -> bool:
    """Return whether the file descriptor is a terminal; a closed one is none."""
    try:
        return os.isatty(handle)
    except OSError:
        return False
