"""Patience with places that keep us waiting: so much of it, and then they are not asked for a while.

Whoever answers each question in nearly the time that it may take, or not at all, holds up whoever asks. And
anybody can have a domain ask: by an anchor, or by a DID that names one. Measured: sixty made-up DIDs, whose
anchors were said to be where nobody answers, kept all cores of Spark waiting, and no batch was written.

It goes by addresses (addresses.py): names cost nothing. Whoever answers for them may keep us waiting as well.
What is large may take its time.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from penstock.clock import SystemClock
from penstock.errors import Unavailable

if TYPE_CHECKING:
    from penstock.clock import Clock

__all__ = ["Patience", "Waiting"]

#: Seconds of waiting, of those in FOR, that an address has; when they are spent it is asked when FOR is over.
SECONDS: Final = 15.0
FOR: Final = 120.0
#: What counts as no waiting: so long for an answer, and a second for so many bytes of it.
PROMPT: Final = 1.0
BYTES_A_SECOND: Final = 50_000
#: Places that are remembered; the oldest make room.
MOST: Final = 10_000


class Patience:
    """How long each place has kept this process waiting of late. Safe between threads."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        #: When each began, and how many seconds were spent since.
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process has its own.
        return Patience, (self._clock,)

    def check(self, place: str) -> None:
        """See that there is some left.

        Raises:
            Unavailable: there is none.
        """
        with self._lock:
            begun, spent = self._spent.get(place, (0.0, 0.0))
        if spent > SECONDS and self._clock.now() < begun + FOR:
            raise Unavailable(f"{place} has kept us waiting: it is asked again in a while")

    def spend(self, place: str, seconds: float, size: int) -> None:
        """It was waited for, and so many bytes came."""
        waited = seconds - PROMPT - size / BYTES_A_SECOND
        if waited <= 0:
            return
        now = self._clock.now()
        with self._lock:
            begun, spent = self._spent.pop(place, (now, 0.0))
            if now >= begun + FOR:
                begun, spent = now, 0.0
            self._spent[place] = (begun, spent + waited)
            while len(self._spent) > MOST:
                self._spent.popitem(last=False)

    def now(self) -> float:
        """The time that it goes by."""
        return self._clock.now()


class Waiting:
    """Waiting for one place after the other, each of which spends its own patience; a context."""

    def __init__(self, patience: Patience) -> None:
        """For nobody yet."""
        self._patience = patience
        self._place = ""
        self._since = 0.0
        #: Bytes that the last of them has sent, or taken.
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def turn_to(self, place: str) -> None:
        """From now on it is that place.

        Raises:
            Unavailable: there is no patience left for it; then it is nobody.
        """
        self._end()
        self._patience.check(place)
        self._place, self._since = place, self._patience.now()

    def _end(self) -> None:
        place, self._place = self._place, ""
        if place:
            self._patience.spend(place, self._patience.now() - self._since, self.size)
