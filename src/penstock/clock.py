"""The only reader of the time.

Everything that needs the time takes a Clock, or the instant itself as `now`; a lint rule keeps
`time.time` and its kin out of every other file. Nothing here sleeps or knows what the time is for.
"""

from __future__ import annotations

import time
from typing import Protocol

__all__ = ["Clock", "SystemClock", "VirtualClock"]


class Clock(Protocol):
    """What tells the time."""

    def now(self) -> float:
        """Seconds since the epoch, never less than the answer before."""


class SystemClock:
    """The machine's wall time when the clock was made, carried on by its monotonic time.

    Setting the machine's clock therefore moves no due time back or forth; a clock made afterwards,
    so at the latest the next process, goes by the new setting. Make one for the whole process.
    """

    __slots__ = ("_epoch",)

    def __init__(self) -> None:
        #: The wall time at which the monotonic time was zero.
        self._epoch = time.time() - time.monotonic()

    def now(self) -> float:
        """Seconds since the epoch, never less than the answer before."""
        return self._epoch + time.monotonic()

    def __repr__(self) -> str:
        return f"<SystemClock {self.now():.3f}>"


class VirtualClock:
    """A clock that stands still until `advance` is called: years of delays pass in a test's millisecond."""

    __slots__ = ("_now",)

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def now(self) -> float:
        """Seconds since the epoch, as far as this clock was advanced."""
        return self._now

    def advance(self, seconds: float) -> float:
        """Move on, and return the new time.

        Raises:
            ValueError: `seconds` is negative; time does not run backwards.
        """
        if seconds < 0:
            raise ValueError(f"a clock advances, it does not go back: {seconds}")
        self._now += seconds
        return self._now

    def __repr__(self) -> str:
        return f"<VirtualClock {self._now:.3f}>"
