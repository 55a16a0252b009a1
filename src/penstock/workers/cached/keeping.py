"""What those who ask and those who fill have in common: the shelf, by the broker's clock, and the channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.workers.fan import FanExchange

if TYPE_CHECKING:
    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.cached.cached import Cached
    from penstock.workers.cached.notice import Notice
    from penstock.workers.cached.shelf import Claim, Entry

__all__ = ["Keeping"]

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

    async def claim(self, entry: Entry, seconds: float, *, extends: bool = False) -> bytes | Claim:
        """The value, or the claim on it; a new one holds for so long."""
        now = self.clock.now()
        return await self.shelf.run(self.shelf.claim, entry, now=now, until=now + seconds, extends=extends)

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
