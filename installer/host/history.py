"""Past runs, one JSON object a line; for people, never read to decide anything."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from installer import jsontext
from installer.paths import Paths


def append(paths: Paths, run: Mapping[str, object]) -> None:
    """Remember a run; that it cannot be remembered is no reason to fail."""
    from installer.host.sinks import LogFile

    LogFile(paths.history).write(json.dumps(run, default=str), "info", {})


def read(paths: Paths) -> Iterator[Mapping[str, Any]]:
    """Yield the past runs, oldest first; a line that a power cut tore is passed over."""
    try:
        lines = paths.history.read_text("utf-8", "replace").splitlines()
    except OSError:  # there is none yet, or something else lies in its place
        return
    for line in lines:
        try:
            run = jsontext.loads(line)
        except ValueError:
            continue
        if isinstance(run, dict):
            yield run
