"""One alarm for any number of deadlines: it rings at the earliest, and what is due then is looked up."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.clock import Alarm, Clock

__all__ = ["Deadlines"]

#: Seconds between two rings: of a hundred thousand that wait for a stuck broker, not each rings alone.
GRAIN: Final = 0.005


class Deadlines:
    """Calls `expire(now)`, which says when the next deadline is, infinite if there is none."""

    __slots__ = ("_alarm", "_at", "_clock", "_expire")

    def __init__(self, clock: Clock, expire: Callable[[float], float]) -> None:
        self._clock = clock
        self._expire = expire
        self._at = inf
        self._alarm: Alarm | None = None

    def __repr__(self) -> str:
        return f"<Deadlines, the next at {self._at}>"

    def watch(self, deadline: float) -> None:
        """There is one more."""
        if deadline < self._at:
            self._arm(deadline)

    def stop(self) -> None:
        """There are none any more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        self._at = inf

    def _arm(self, at: float) -> None:
        self.stop()
        self._at = at
        self._alarm = self._clock.call_at(at, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._at = inf
        now = self._clock.now()
        following = self._expire(now)
        if following < self._at:
            self._arm(max(following, now + GRAIN))
