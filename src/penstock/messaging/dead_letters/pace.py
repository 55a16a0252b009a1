"""Not faster than so many a second, by a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.clock import sleep
from penstock.errors import MessagingError

if TYPE_CHECKING:
    from penstock.clock import Clock

__all__ = ["Pace"]

#: Messages that are published together at most, and how many seconds' worth of the rate.
LARGEST: Final = 100
BURST_S: Final = 0.1


class Pace:
    """`await pace.take(n)` before each n; without a rate it never waits."""

    def __init__(self, rate: float | None, clock: Clock) -> None:
        if rate is not None and not rate > 0:
            raise MessagingError(f"a rate is more than 0 a second, not {rate}")
        self._rate = rate
        self._clock = clock
        #: When the next may go.
        self._free_at = clock.now()

    @property
    def burst(self) -> int:
        """How many should be taken together."""
        return LARGEST if self._rate is None else max(1, min(LARGEST, int(self._rate * BURST_S)))

    async def take(self, count: int) -> None:
        """Wait until so many may go."""
        if self._rate is None:
            return
        wait = self._free_at - self._clock.now()
        if wait > 0:
            await sleep(self._clock, wait)
        self._free_at = max(self._free_at, self._clock.now()) + count / self._rate
