"""Instants as Spark hands them to Python: local times that do not say so."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

__all__ = ["in_utc"]


def in_utc(value: Any) -> Any:
    """A value of a row; an instant with its zone.

    PySpark makes naive times of this process's zone, whatever the session has; Arrow takes them for UTC.
    """
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is None else value
