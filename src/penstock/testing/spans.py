"""Spans of time as a test writes them: "3 days", "1 h 30 min", 0.5, a timedelta."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Span", "seconds_in"]

#: Seconds, words, or what the standard library has for it.
Span: TypeAlias = float | str | timedelta

#: Seconds in a unit, which may stand in the plural.
UNITS: Final[Mapping[str, float]] = {
    "ms": 0.001,
    "millisecond": 0.001,
    "s": 1.0,
    "second": 1.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hour": 3600.0,
    "d": 86_400.0,
    "day": 86_400.0,
    "week": 604_800.0,
}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?) *([a-z]+)[ ,]*")


def seconds_in(span: Span) -> float:
    """How many seconds a span has.

    Raises:
        ValueError: it is not a span of time.
    """
    if not isinstance(span, str):
        seconds = span.total_seconds() if isinstance(span, timedelta) else float(span)
        if not seconds >= 0:
            raise ValueError(f"time does not run backwards: {span!r}")
        return seconds
    total, at = 0.0, 0
    text = span.strip().lower()
    while (part := _PART.match(text, at)) and (
        unit := UNITS.get(part[2]) or UNITS.get(part[2].removesuffix("s"))
    ):
        total += float(part[1]) * unit
        at = part.end()
    if not text or at < len(text):
        raise ValueError(f'{span!r} is not a span of time like "3 days", "1 h 30 min" or "250 ms"')
    return total
