"""The schema of the step log, held against every event that a test sees."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[1] / "installer/events.schema.json"


@cache
def validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def parsed(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the events of a log; every one of them is valid, or this fails."""
    events = [json.loads(line) for line in lines]
    for event in events:
        validator().validate(event)
    return events
