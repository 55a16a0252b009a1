"""The only reader of the time.

Everything that needs the time takes a Clock, or the instant itself as `now`; a lint rule keeps
`time.time` and its kin out of every other file. Whoever waits for a time to come sets an alarm, so that
in a test all of them follow one clock.
"""

from __future__ import annotations

import asyncio
import time
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Alarm", "Clock", "SystemClock", "VirtualClock", "sleep"]


class Alarm(Protocol):
    """A call that is to come."""

    def cancel(self) -> None:
        """Let it not come; once it has, nothing happens."""


class Clock(Protocol):
    """What tells the time."""

    def now(self) -> float:
        """Seconds since the epoch, never less than the answer before."""
        ...

    def call_at(self, when: float, callback: Callable[..., object], *arguments: Any) -> Alarm:
        """Call back, on the running event loop, when it is that late; the past is as soon as possible."""
        ...


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait until the clock says that so much time has passed."""
    over = asyncio.get_running_loop().create_future()
    alarm = clock.call_at(clock.now() + seconds, _wake, over)
    try:
        await over
    finally:
        alarm.cancel()


def _wake(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


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

    def call_at(self, when: float, callback: Callable[..., object], *arguments: Any) -> Alarm:
        """Call back, on the running event loop, when it is that late."""
        return asyncio.get_running_loop().call_later(max(when - self.now(), 0.0), callback, *arguments)

    def __repr__(self) -> str:
        return f"<SystemClock {self.now():.3f}>"


class VirtualClock:
    """A clock that stands still until `advance` is called: years of delays pass in a test's millisecond."""

    __slots__ = ("_alarms", "_now", "_set")

    def __init__(self, now: float = 0.0) -> None:
        self._now = now
        self._alarms: list[tuple[float, int, _VirtualAlarm]] = []
        #: How many alarms were ever set: those of one time ring in the order they were set in.
        self._set = 0

    def now(self) -> float:
        """Seconds since the epoch, as far as this clock was advanced."""
        return self._now

    def call_at(self, when: float, callback: Callable[..., object], *arguments: Any) -> Alarm:
        """Call back when the clock is advanced that far."""
        alarm = _VirtualAlarm(callback, arguments)
        self._set += 1
        heappush(self._alarms, (when, self._set, alarm))
        return alarm

    @property
    def next_at(self) -> float:
        """When the next alarm rings; infinite without one."""
        alarms = self._alarms
        while alarms and alarms[0][2].is_cancelled:
            heappop(alarms)
        return alarms[0][0] if alarms else inf

    def advance(self, seconds: float) -> float:
        """Move on, ringing each alarm at its own time, and return the new time.

        Raises:
            ValueError: `seconds` is negative; time does not run backwards.
        """
        if seconds < 0:
            raise ValueError(f"a clock advances, it does not go back: {seconds}")
        until = self._now + seconds
        while self.next_at <= until:
            when, _, alarm = heappop(self._alarms)
            self._now = max(when, self._now)
            alarm.ring()
        self._now = until
        return until

    def __repr__(self) -> str:
        return f"<VirtualClock {self._now:.3f}>"


class _VirtualAlarm:
    """A call that comes when its clock is advanced."""

    __slots__ = ("_arguments", "_callback", "is_cancelled")

    def __init__(self, callback: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self._callback = callback
        self._arguments = arguments
        self.is_cancelled = False

    def cancel(self) -> None:
        """Let it not come."""
        self.is_cancelled = True

    def ring(self) -> None:
        """It is time."""
        self._callback(*self._arguments)
