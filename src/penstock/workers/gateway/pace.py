"""How fast a peer may go: a bucket that fills with time. Pure."""

from __future__ import annotations

__all__ = ["Pace"]


class Pace:
    """So many at once, and so many a second."""

    __slots__ = ("_at", "_burst", "_left", "_rate")

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._left = self._burst
        self._at = now

    def takes(self, now: float) -> bool:
        """Whether there may be one more, now."""
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
