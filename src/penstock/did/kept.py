"""Things fetched from other domains, kept for a while: so many at most, and safe between threads.

Failures may be kept as well, for a shorter while: whoever does not answer is not waited for again and again.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from penstock.errors import DidError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.clock import Clock

__all__ = ["Kept"]

Thing = TypeVar("Thing")


class Kept(Generic[Thing]):
    """What was fetched lately, by name."""

    def __init__(
        self,
        fetch: Callable[[str], Thing],
        clock: Clock,
        *,
        seconds: float,
        failed_seconds: float = 0.0,
        most: int = 1000,
    ) -> None:
        """Nothing is fetched yet.

        Args:
            fetch: Gets the thing of a name; what it raises passes through.
            clock: What tells the time.
            seconds: How long a thing is believed.
            failed_seconds: How long a failure (a DidError) is; not at all, unless it is told.
            most: So many are kept; the oldest make room.
        """
        self._fetch = fetch
        self._clock = clock
        self._seconds = seconds
        self._failed_seconds = failed_seconds
        self._most = most
        #: Until when each is believed.
        self._things: OrderedDict[str, tuple[float, Thing | DidError]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: str) -> Thing:
        """The thing of that name, fetched if it is not here or too old.

        Raises:
            DidError: it could not be fetched, now or a moment ago.
        """
        now = self._clock.now()
        with self._lock:
            found = self._things.get(name)
        if found is not None and now < found[0]:
            return _told(found[1])
        # Unlocked: nobody waits for another's slow domain. Two may fetch the same thing, which is harmless.
        try:
            thing = self._fetch(name)
        except DidError as exc:
            if self._failed_seconds:
                # From now on: it may have taken longer to fail than the failure is believed.
                self._keep(name, self._clock.now() + self._failed_seconds, exc)
            raise
        self._keep(name, now + self._seconds, thing)
        return thing

    def has(self, name: str) -> bool:
        """Whether `get` would fetch nothing now."""
        with self._lock:
            found = self._things.get(name)
        return found is not None and self._clock.now() < found[0]

    def _keep(self, name: str, until: float, thing: Thing | DidError) -> None:
        with self._lock:
            self._things.pop(name, None)
            self._things[name] = (until, thing)
            while len(self._things) > self._most:
                self._things.popitem(last=False)

    def __len__(self) -> int:
        return len(self._things)


def _told(thing: Thing | DidError) -> Thing:
    if isinstance(thing, DidError):
        # Without the ways that it was raised by before: they would grow.
        raise thing.with_traceback(None)
    return thing
