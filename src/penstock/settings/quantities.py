"""Sizes, durations and shares as people write them: 64KiB, 50MB, 5s, 40%.

Each has a reader, text or number → number, and a writer back; reading what was written gives the same
number. Readers raise ValueError with words for the person who wrote the text. Nothing here knows a setting.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "read_duration",
    "read_share_or_size",
    "read_size",
    "shown_duration",
    "shown_share_or_size",
    "shown_size",
]

#: Bytes. K alone is missed on purpose: half the world means 1000 and the other half 1024.
SIZES: Final[Mapping[str, int]] = {
    "TiB": 1 << 40,
    "TB": 10**12,
    "GiB": 1 << 30,
    "GB": 10**9,
    "MiB": 1 << 20,
    "MB": 10**6,
    "KiB": 1 << 10,
    "kB": 10**3,
    "B": 1,
}
#: Seconds.
DURATIONS: Final[Mapping[str, Decimal]] = {
    "d": Decimal(86400),
    "h": Decimal(3600),
    "min": Decimal(60),
    "s": Decimal(1),
    "ms": Decimal("0.001"),
}
#: More digits than any sensible quantity has; what is longer is not even looked at.
LONGEST: Final = 40
_Scale = TypeVar("_Scale", int, Decimal)
_QUANTITY: Final = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-z]*|%)", re.ASCII)


def read_size(value: Any) -> int:
    """Bytes: 65536, "65536", "64KiB", "1.5 GB"; units in any case.

    Raises:
        ValueError: it is not a size, or not a whole number of bytes.
    """
    if _is_whole(value):
        return int(value)
    number, unit = _split(value, "a size like 64KiB or 50MB")
    # A decimal has 28 digits and no remainder beyond them; a fraction has all.
    size = Fraction(number) * _unit(unit or "B", SIZES)
    if size.denominator != 1:
        raise ValueError(f"{value!r} is not a whole number of bytes")
    return int(size)


def shown_size(size: int) -> str:
    """The size in the largest unit that gives a whole number."""
    if not size:
        return "0B"
    unit = max((unit for unit in SIZES if size % SIZES[unit] == 0), key=SIZES.__getitem__)
    return f"{size // SIZES[unit]}{unit}"


def read_duration(value: Any) -> float:
    """Seconds: 5, 0.5, "5", "5s", "500ms", "10min", "1h", "7d".

    Raises:
        ValueError: it is not a duration.
    """
    if isinstance(value, float) or _is_whole(value):
        value = f"{value:f}"
    number, unit = _split(value, "a duration like 500ms, 10s or 5min")
    return float(number * _unit(unit or "s", DURATIONS))


def shown_duration(seconds: float) -> str:
    """The duration in the largest unit that gives a whole number; below a millisecond, in parts of one."""
    exact = Decimal(repr(seconds))
    if not exact:
        return "0s"
    unit = next((unit for unit in DURATIONS if exact % DURATIONS[unit] == 0), "ms")
    return f"{(exact / DURATIONS[unit]).normalize():f}{unit}"


def read_share_or_size(value: Any) -> float | int:
    """A share of a whole as a float up to 1 ("40%", 0.4), or bytes as an int ("2GiB").

    Raises:
        ValueError: it is neither, or the share is more than the whole.
    """
    if isinstance(value, str):
        found = _QUANTITY.fullmatch(value.strip()) if len(value) <= LONGEST else None
        if found and found[2] == "%":
            value = float(Decimal(found[1]) / 100)
        elif found and not found[2] and "." in found[1]:
            value = float(found[1])
    if not isinstance(value, float):
        return read_size(value)
    if not 0 <= value <= 1:
        raise ValueError(f"{value:g} of the whole: a share is between 0% and 100%")
    return value


def shown_share_or_size(value: float) -> str:
    """Per cent of a whole, or a size."""
    if isinstance(value, int):
        return shown_size(value)
    return f"{(Decimal(repr(value)) * 100).normalize():f}%"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _split(value: Any, wanted: str) -> tuple[Decimal, str]:
    found = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= LONGEST else None
    if not found:
        raise ValueError(f"{value!r} is not {wanted}")
    return Decimal(found[1]), found[2]


def _unit(unit: str, units: Mapping[str, _Scale]) -> _Scale:
    for name, scale in units.items():
        if name.lower() == unit.lower():
            return scale
    raise ValueError(f"unit {unit!r} is not one of {', '.join([*units][::-1])}")
