"""Registrations that ask for a number in a range, so that a message meets only those it can satisfy.

`weight > 5`, `weight > 6`, …: sorted by threshold, and one bisection gives the ones a weight reaches.
Ranges with two ends are sorted by the lower one, apart for each power of two of their width: those
that can hold a value then begin at most so far below it. Ends are taken as included; who asks
evaluates the whole condition on what is found. Cost: what is found, plus a bisection for each width.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from decimal import Decimal
from math import frexp, inf, isinf
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wiring.properties import Properties
    from penstock.wiring.registration import Registration

    Number = int | float | Decimal
    #: What else a registration asks for.
    Test = Callable[[Properties], bool | None]
    Tested = dict[Registration, Test | None]

__all__ = ["Range", "Ranges"]

#: Four times what rounding may shift a float by, as a part of it.
ROUNDING: Final = 2.0**-50
#: The width of a range that has no end on one side, as a power of two; nearly so wide counts as well.
ENDLESS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The property is a number between these, which belong to it."""

    name: str
    low: int | float = -inf
    high: int | float = inf

    @property
    def width(self) -> int:
        """The width as a power of two, generously: more than it, and at most four times as much."""
        width = self.high - self.low
        return ENDLESS if width > 2.0**ENDLESS else min(max(frexp(width)[1] + 1, -ENDLESS), ENDLESS)


class Ranges:
    """Ranges of one property."""

    __slots__ = ("_highs", "_lows")

    def __init__(self) -> None:
        #: Width → ranges with a lower end, sorted by it.
        self._lows: dict[int, Thresholds] = {}
        #: Ranges that have only an upper end.
        self._highs = Thresholds()

    def __bool__(self) -> bool:
        return bool(self._lows or self._highs.keys)

    def add(self, wanted: Range, registration: Registration, test: Test | None) -> None:
        """Find this registration for values in the range; `test` is given back with it."""
        if wanted.low == -inf:
            self._highs.add(wanted.high, registration, test)
        else:
            self._lows.setdefault(wanted.width, Thresholds()).add(wanted.low, registration, test)

    def remove(self, wanted: Range, registration: Registration) -> None:
        """Undo add."""
        if wanted.low == -inf:
            self._highs.remove(wanted.high, registration)
            return
        lows = self._lows[wanted.width]
        lows.remove(wanted.low, registration)
        if not lows.keys:
            del self._lows[wanted.width]

    def find(self, value: Any) -> list[Tested]:
        """Those whose range may hold the value; none if it is not a number."""
        if not is_number(value):
            return []
        highs = self._highs
        found = highs.groups[bisect_left(highs.keys, value) :]
        for width, lows in self._lows.items():
            first = bisect_left(lows.keys, _reach(value, width)) if width != ENDLESS else 0
            found += lows.groups[first : bisect_right(lows.keys, value)]
        return found


class Thresholds:
    """Sorted numbers, and for each the registrations that have it."""

    __slots__ = ("groups", "keys")

    def __init__(self) -> None:
        self.keys: list[int | float] = []
        self.groups: list[Tested] = []

    def add(self, key: float, registration: Registration, test: Test | None) -> None:
        """Put a registration under a threshold."""
        place = bisect_left(self.keys, key)
        if place == len(self.keys) or self.keys[place] != key:
            self.keys.insert(place, key)
            self.groups.insert(place, {})
        self.groups[place][registration] = test

    def remove(self, key: float, registration: Registration) -> None:
        """Take it away again."""
        place = bisect_left(self.keys, key)
        del self.groups[place][registration]
        if not self.groups[place]:
            del self.keys[place], self.groups[place]


def is_number(value: Any) -> bool:
    """Whether it can be sorted among numbers; a NaN cannot."""
    if type(value) is int:
        return True
    if isinstance(value, Decimal):
        return not value.is_nan()
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124


def _reach(value: Number, width: int) -> float:
    """The lowest end that a range of this width can have and still hold the value."""
    try:
        near = float(value)
    except OverflowError:
        near = inf
    # Nothing that has an end holds the infinite.
    return near if isinf(near) else near - 2.0**width - abs(near) * ROUNDING
