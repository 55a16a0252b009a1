"""Those in this process who wait for a value, by key."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.clock import Clock
    from penstock.workers.cached.notice import Notice

__all__ = ["Waiter", "Waiters"]


class Waiter:
    """Somebody who waits. Listens before looking at the shelf, so that no news is missed in between."""

    __slots__ = ("_has_come", "_news")

    def __init__(self) -> None:
        self._news: dict[str, Notice] = {}
        self._has_come = asyncio.Event()

    def tell(self, notice: Notice) -> None:
        """There is news of the key."""
        self._news |= dict.fromkeys(notice.of, notice)
        self._has_come.set()

    async def maybe_of(self, token: str, until: float, clock: Clock) -> Notice | None:
        """The news of a claim; None if there is none until then.

        News of other claims may be of what was forgotten before this waiter came.
        """
        alarm = clock.call_at(until, self._has_come.set)
        try:
            while token not in self._news:
                if clock.now() >= until:
                    return None
                await self._has_come.wait()
                self._has_come.clear()
        finally:
            alarm.cancel()
        return self._news.pop(token)


class Waiters:
    """All of them."""

    def __init__(self) -> None:
        # Dicts as sets that keep their order: who came first is told first.
        self._at: dict[str, dict[Waiter, None]] = {}

    def __repr__(self) -> str:
        return f"<Waiters: {len(self)} for {len(self._at)} keys>"

    def __len__(self) -> int:
        return sum(map(len, self._at.values()))

    def tell(self, notice: Notice) -> None:
        """There is news: all who wait for the key get it."""
        for waiter in self._at.get(notice.key, ()):
            waiter.tell(notice)

    @contextmanager
    def waiting(self, key: str) -> Iterator[Waiter]:
        """Wait for a key as long as the block lasts."""
        waiter = Waiter()
        there = self._at.setdefault(key, {})
        there[waiter] = None
        try:
            yield waiter
        finally:
            del there[waiter]
            if not there:
                del self._at[key]
