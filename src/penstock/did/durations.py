"""Durations as Go writes them, and so all of Orb's parameters: 2s, 1m30s, 1.5h, 300ms. Pure.

Penstock's own spelling (90s, 1.5min, 7d, or plain seconds) is taken as well; where the two meet they mean
the same.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from penstock.settings.kinds import Kind
from penstock.settings.quantities import read_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["go_duration", "read_go_duration", "shown_go_duration"]

#: Seconds, largest first (Go's time.ParseDuration).
UNITS: Final[Mapping[str, Decimal]] = {
    "h": Decimal(3600),
    "m": Decimal(60),
    "s": Decimal(1),
    "ms": Decimal("0.001"),
    "us": Decimal("0.000001"),
    "µs": Decimal("0.000001"),
    "ns": Decimal("0.000000001"),
}
#: How one is written back: Go's String has no other units from a second on.
SHOWN: Final = ("h", "m")
#: More characters than any sensible duration has.
LONGEST: Final = 40

_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)")
_WHOLE: Final = re.compile(rf"(?:{_PART.pattern})+")


def read_go_duration(value: Any) -> float:
    """Seconds: "1m30s", "2h", ".5s", "300ms"; or as Penstock writes them: 5, "5", "10min", "7d".

    Raises:
        ValueError: it is neither.
    """
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > LONGEST or not _WHOLE.fullmatch(text):
        return _read_penstock(value)
    return float(sum(Decimal(number) * UNITS[unit] for number, unit in _PART.findall(text)))


def _read_penstock(value: Any) -> float:
    try:
        return read_duration(value)
    except ValueError as exc:
        raise ValueError(f"{value!r} is not a duration like 2s, 1m30s or 24h") from exc


def shown_go_duration(seconds: float) -> str:
    """The duration in hours, minutes and seconds, as far as it has any; a short one in milliseconds."""
    left = Decimal(repr(seconds))
    if not left:
        return "0s"
    if left < 1:
        return f"{(left * 1000).normalize():f}ms"
    parts = []
    for unit in SHOWN:
        count, left = divmod(left, UNITS[unit])
        if count:
            parts.append(f"{count:.0f}{unit}")
    if left:
        parts.append(f"{left.normalize():f}s")
    return "".join(parts)


def go_duration(least: float, most: float) -> Kind:
    """The kind of a parameter that is a duration, in seconds."""
    bounds = f"from {shown_go_duration(least)} to {shown_go_duration(most)}"

    def read(value: Any) -> float:
        found = read_go_duration(value)
        if not least <= found <= most:
            raise ValueError(f"{value!r} is not {bounds}")
        return found

    return Kind(f"a duration {bounds}", read, shown_go_duration, "DURATION")
