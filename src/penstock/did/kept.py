"""Things fetched from other domains, kept for a while: so many at most, and safe between threads."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.clock import Clock

__all__ = ["Kept"]

Thing = TypeVar("Thing")


class Kept(Generic[Thing]):
    """What was fetched lately, by name."""

    def __init__(
        self, fetch: Callable[[str], Thing], clock: Clock, *, seconds: float, most: int = 1000
    ) -> None:
        """Nothing is fetched yet.

        Args:
            fetch: Gets the thing of a name; what it raises is not kept, and passes through.
            clock: What tells the time.
            seconds: How long a thing is believed.
            most: So many are kept; the oldest make room.
        """
        self._fetch = fetch
        self._clock = clock
        self._seconds = seconds
        self._most = most
        self._things: OrderedDict[str, tuple[float, Thing]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: str) -> Thing:
        """The thing of that name, fetched if it is not here or too old."""
        now = self._clock.now()
        with self._lock:
            found = self._things.get(name)
        if found is not None and now < found[0]:
            return found[1]
        # Unlocked: nobody waits for another's slow domain. Two may fetch the same thing, which is harmless.
        thing = self._fetch(name)
        with self._lock:
            self._things.pop(name, None)
            self._things[name] = (now + self._seconds, thing)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        return thing

    def __len__(self) -> int:
        return len(self._things)
