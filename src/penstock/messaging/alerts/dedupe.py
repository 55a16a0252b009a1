"""Who was told of what just now. Pure: time comes as `now`.

Whatever happens to messages happens to thousands of them at once, and nobody reads a thousand e-mails. The
first of a kind about a subject is told; the next ones are counted until the window is over.
"""

from __future__ import annotations

from collections import OrderedDict
from math import inf

__all__ = ["Dedupe"]


class Dedupe:
    """Remembers the newest `capacity` keys, each for `window` seconds after it was told."""

    __slots__ = ("_capacity", "_told", "_window")

    def __init__(self, *, window: float, capacity: int) -> None:
        self._window = window
        self._capacity = capacity
        #: Key → when it was told, and how often it came since.
        self._told: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def maybe_admit(self, key: tuple[str, str], now: float) -> int | None:
        """None if it was told just now; else how often it was held back since it was told last."""
        told_at, held_back = self._told.get(key, (-inf, 0))
        if now - told_at < self._window:
            self._told[key] = (told_at, held_back + 1)
            return None
        self._told[key] = (now, 0)
        self._told.move_to_end(key)
        if len(self._told) > self._capacity:
            # Forgetting the oldest means at worst that it is told again.
            self._told.popitem(last=False)
        return held_back
