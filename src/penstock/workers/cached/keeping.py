"""What those who ask and those who fill have in common: the shelf, by the broker's clock, and the channel."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from penstock.clock import sleep
from penstock.errors import StoreError
from penstock.workers.fan import FanExchange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.cached.cached import Cached
    from penstock.workers.cached.notice import Notice
    from penstock.workers.cached.shelf import Claim, Entry

__all__ = ["Keeping"]

_log = logging.getLogger(__name__)

#: Seconds that news waits for a process that does not listen.
NEWS_S: Final = 60.0


class Keeping:
    """A shelf and a channel, as one cache uses them on one broker."""

    def __init__(self, cached: Cached[Any], broker: AmqpBroker) -> None:
        self.cached = cached
        self.shelf = cached.shelf
        self.clock = broker.clock
        self._fan = FanExchange(broker)

    def __repr__(self) -> str:
        return f"<Keeping of {self.cached.name} on {self.shelf!r}>"

    async def claim(self, entry: Entry, seconds: float, *, maker: str = "") -> bytes | Claim:
        """The value, or the claim on it; one of the caller's own holds for so long."""
        now = self.clock.now()
        return await self.shelf.run(self.shelf.claim, entry, now=now, until=now + seconds, maker=maker)

    async def renew(self, entry: Entry, token: str, seconds: float) -> None:
        """Have a claim hold for so long from now on."""
        await self.shelf.run(self.shelf.renew, entry, token, self.clock.now() + seconds)

    @asynccontextmanager
    async def holding(self, entry: Entry, token: str) -> AsyncIterator[None]:
        """Hold a claim as long as the block lasts, however long that takes."""
        renewing = asyncio.create_task(self._renew_on(entry, token), name=f"claim on {entry.key}")
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _renew_on(self, entry: Entry, token: str) -> None:
        while True:
            await sleep(self.clock, self.cached.takes / 3)
            try:
                await self.renew(entry, token, self.cached.takes)
            except StoreError as exc:
                # It holds for two thirds of its time yet.
                _log.warning("the claim on %s could not be renewed: %s", entry, exc)

    def keep(self, entry: Entry, token: str, value: bytes) -> bool:
        """Keep a value if its claim stands. Of a shared shelf, a verb for `run`."""
        now, cached = self.clock.now(), self.cached
        return self.shelf.keep(entry, token, value, now=now, expires_at=now + cached.lasts, room=cached.room)

    async def release(self, entry: Entry, *tokens: str) -> None:
        """Give up claims."""
        for token in tokens:
            await self.shelf.run(self.shelf.release, entry, token)

    async def tell(self, notice: Notice) -> None:
        """Publish news to all processes that listen; if none does, it is gone."""
        await self._fan.publish(self.cached.channel, notice, expires_in=NEWS_S)
