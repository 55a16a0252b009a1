"""Disk: a store as one life of the broker sees it, which takes nothing more once that broker is killed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.testing.faults import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.errors import StoreDamaged
    from penstock.store import Batch, Contents, Found, Joined, Line, Raw, Standing, Store
    from penstock.store.rows import Definition, Expiry, Taking
    from penstock.testing.faults import Faults

__all__ = ["Disk"]


class Disk:
    """A store, and the traps at its commits. The next life gets another Disk."""

    def __init__(self, store: Store, faults: Faults, loop: asyncio.AbstractEventLoop) -> None:
        self.store = store
        self.is_dead = False
        self._faults = faults
        self._loop = loop

    def __repr__(self) -> str:
        return f"<Disk {'of a dead broker' if self.is_dead else 'in use'}, {self.store!r}>"

    @property
    def contents(self) -> Contents:
        """Bodies too large for a row."""
        return self.store.contents

    @property
    def damaged(self) -> Sequence[StoreDamaged]:
        """What could not be read back."""
        return self.store.damaged

    # The writer thread

    def write(self, batch: Batch) -> None:
        self._reach(Point.COMMIT)
        if not self.is_dead:
            self.store.write(batch)
        self._reach(Point.COMMITTED)

    def _reach(self, point: Point) -> None:
        """Spring the trap on the loop, where the broker lives, and wait for it."""
        if not self.is_dead and self._faults.watches(point):
            asyncio.run_coroutine_threadsafe(self._spring(point), self._loop).result()

    async def _spring(self, point: Point) -> None:
        self._faults.reach(point)

    def tidy(self) -> bool:
        return not self.is_dead and self.store.tidy()

    # The loop

    def definitions(self) -> list[Definition]:
        return self.store.definitions()

    def lines(self) -> list[Line]:
        return self.store.lines()

    def takings(self) -> list[Taking]:
        return self.store.takings()

    def settle_takings(self) -> None:
        self.store.settle_takings()

    def last_message(self) -> int:
        return self.store.last_message()

    def fetch(self, queue: int, priority: int, first: int, below: int, limit: int) -> list[Found]:
        return self.store.fetch(queue, priority, first, below, limit)

    def nth(self, queue: int, priority: int, first: int, below: int, skip: int) -> int | None:
        return self.store.nth(queue, priority, first, below, skip)

    def fetch_raw(
        self, front: int, queue: int, priority: int, first: int, below: int, limit: int
    ) -> list[Raw] | Joined:
        return self.store.fetch_raw(front, queue, priority, first, below, limit)

    def run(
        self, queue: int, priority: int, first: int, below: int, limit: int, *, weighed: bool
    ) -> tuple[int, int, int, int]:
        return self.store.run(queue, priority, first, below, limit, weighed=weighed)

    def aside(self, queue: int, standing: Standing, after: tuple[int, int], limit: int) -> list[Found]:
        return self.store.aside(queue, standing, after, limit)

    def expiring(self, queue: int, after: Expiry, limit: int) -> list[Found]:
        return self.store.expiring(queue, after, limit)

    def weigh(self, queue: int) -> int:
        return self.store.weigh(queue)

    def close(self) -> None:
        self.store.close()
