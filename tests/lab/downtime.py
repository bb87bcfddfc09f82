"""How long a unit was down: from the signal that ends its old process to the moment its new one is active."""

import json

from fixtures.lab.container import Container

STOPPING = "de5b426a63be47a7b6ac3eaac82e2f6f"  # systemd.journal-catalog: SD_MESSAGE_UNIT_STOPPING
STARTED = "39f53479d3a045ac8e11786248231fbf"  # SD_MESSAGE_UNIT_STARTED


def down(machine: Container, unit: str, since: float) -> float:
    """Return the seconds between the first stop and the last start of a unit since then, as systemd wrote them down."""
    words = ("journalctl", "-q", f"--since=@{since:.6f}", "-o", "json", "_PID=1", f"UNIT={unit}")
    rows = [json.loads(line) for line in machine.check(*words).splitlines()]
    stops = [int(row["__REALTIME_TIMESTAMP"]) for row in rows if row.get("MESSAGE_ID") == STOPPING]
    starts = [int(row["__REALTIME_TIMESTAMP"]) for row in rows if row.get("MESSAGE_ID") == STARTED]
    return (max(starts) - min(stops)) / 1e6


def worst(machine: Container, units: tuple[str, ...], since: float) -> str:
    """Return the longest of several units' downtimes, in words, and whose it is."""
    seconds = {unit: down(machine, unit, since) for unit in units}
    unit = max(seconds, key=lambda each: seconds[each])
    return f"{seconds[unit]:.2f} s at most ({unit.removesuffix('.service')})"
