"""JSON that a stranger wrote, read without trust in its shape: what is not there as expected is empty."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]


def table(value: object) -> Row:
    """Return an object as it is, and nothing else."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Row]:
    """Return the objects of a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def words(value: object) -> list[str]:
    """Return the texts of a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def bare(value: object) -> str:
    """Return a uuid as Waldur writes it, without dashes and in lower case; "" for what is no text."""
    return value.replace("-", "").lower() if isinstance(value, str) else ""


def moment(value: object) -> datetime | None:
    """Return the time of an ISO 8601 text; None for what is none."""
    try:
        return datetime.fromisoformat(str(value)).astimezone(UTC) if value else None
    except (ValueError, OverflowError):
        return None
