"""The connections of a client: the main one, one for publishing, and more as subscribers need channels.

The main one asks about the wiring and has the first subscribers. Publishing has one for itself, since a
broker that blocks publishers reads nothing from their connections, settlements included.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.client.link import Link
from penstock.client.output import nothing

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.counters import Counters
    from penstock.client.road import Road
    from penstock.client.settings import ClientSettings
    from penstock.clock import Clock

__all__ = ["Links"]


class Links:
    """Makes links, says on which a new consumer goes, and ends them all."""

    def __init__(self, road: Road, settings: ClientSettings, counters: Counters, clock: Clock) -> None:
        self._road = road
        self._settings = settings
        self._counters = counters
        self._clock = clock
        #: Called when a connection has come or gone.
        self.on_change: Callable[[], None] = nothing
        self.main = self._make("subscriber")
        self.publishing = self._make("publisher")
        self._further: list[Link] = []

    def __repr__(self) -> str:
        return f"<Links {self.all}>"

    @property
    def all(self) -> list[Link]:
        """Every one of them, whether it is needed yet or not."""
        return [self.main, *self._further, self.publishing]

    @property
    def are_up(self) -> bool:
        """Whether all that are needed are connected."""
        return self.main.is_up and all(link.is_up for link in self.all if link.is_started)

    def place(self, pool: int, *, is_exclusive: bool) -> list[Link]:
        """A link for each of a pool of consumers, a further one if the others have their share of channels.

        An exclusive queue belongs to the connection that declared it: its consumers are all on the main one.
        """
        if is_exclusive:
            return [self.main] * pool
        placed: list[Link] = []
        for _ in range(pool):
            most = self._settings.channels_per_connection
            subscribing = [self.main, *self._further]
            free = [link for link in subscribing if link.load + placed.count(link) < most]
            placed.append(free[0] if free else self._open_further())
        return placed

    def _open_further(self) -> Link:
        link = self._make(f"subscriber {len(self._further) + 2}")
        link.start(is_known=True)
        self._further.append(link)
        return link

    def _make(self, role: str) -> Link:
        name = f"{self._settings.name} {role}"
        link = Link(name, self._road, self._settings, self._counters, self._clock)
        link.on_change = self._changed
        return link

    def _changed(self) -> None:
        self.on_change()

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 (the farewells')
        """Say farewell on all, at once."""
        await asyncio.gather(*[link.close(timeout) for link in self.all])
