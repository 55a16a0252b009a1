"""Leases: messages in hand that the broker takes back unless it hears that they are still wanted (x-ttr).

The time that a message gives whoever has it is there for machines that die, not for work that takes long, or
for a queue of work: what is in hand is touched in time. What was not, because nothing could be done here for
a while, is somebody else's by now, and is not begun any more.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from penstock.client.deadlines import Deadlines
from penstock.messaging.headers import LEASE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.clock import Clock
    from penstock.messaging.received import AmqpReceived

__all__ = ["Lease", "Leases"]

#: The part of a lease after which the broker is told.
TOUCH_AFTER: Final = 1 / 3
#: Messages that are held before those that are settled are looked for.
FEW: Final = 1000
_LEASE: Final = LEASE.encode()


class Lease:
    """How long one message is in hand, unless it is touched."""

    __slots__ = ("_clock", "_seconds", "touch_at", "until")

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self.until = inf
        self.renew(clock.now())

    def __repr__(self) -> str:
        return f"<Lease of {self._seconds} s until {self.until}>"

    def renew(self, now: float) -> None:
        """The broker hears now that it is wanted; too late is too late."""
        self.touch_at = now + self._seconds * TOUCH_AFTER
        if now < self.until:
            # A second is left for the way, as beanstalkd warns a second before (DEADLINE_SOON); of a short
            # lease, half of it.
            self.until = now + max(self._seconds - 1.0, self._seconds / 2)

    @property
    def has_ended(self) -> bool:
        """Whether somebody else may have it."""
        return self._clock.now() >= self.until


class Leases:
    """The leases of all messages in hand of a broker."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[AmqpReceived, Lease] = {}
        self._deadlines = Deadlines(clock, self._touch)
        self._sweep_at = FEW

    def __repr__(self) -> str:
        return f"<Leases {len(self._held)} held>"

    def hold(self, received: Iterable[AmqpReceived]) -> None:
        """These have come. Most have no lease, and cost a look at their bytes."""
        for each in received:
            if _LEASE in each.properties.raw and (seconds := each.wishes.lease) is not None:
                each.lease = self._held[each] = lease = Lease(seconds, self._clock)
                self._deadlines.watch(lease.touch_at)
        if len(self._held) > self._sweep_at:
            self._sweep()

    def close(self) -> None:
        """Touch nothing any more."""
        self._held.clear()
        self._deadlines.stop()

    def _touch(self, now: float) -> float:
        """Touch what is due; when the next is."""
        self._sweep()
        for received, lease in self._held.items():
            if lease.touch_at <= now:
                received.touch()
                lease.renew(now)
        return min((lease.touch_at for lease in self._held.values()), default=inf)

    def _sweep(self) -> None:
        self._held = {each: lease for each, lease in self._held.items() if each.is_in_hand}
        self._sweep_at = max(2 * len(self._held), FEW)
