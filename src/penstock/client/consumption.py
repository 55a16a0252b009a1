"""A consumption: a pool of consumers of one queue, each on a channel of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.client.consumer import Consumer
from penstock.client.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.control import Control
    from penstock.client.desired import Desired
    from penstock.client.link import Link
    from penstock.client.settings import ClientSettings
    from penstock.client.values import Queue
    from penstock.clock import Clock
    from penstock.errors import ClientError
    from penstock.wire.amqp.table import Table

__all__ = ["Consumption"]


class Consumption:
    """Messages of a queue on their way to a receiver, until `cancel`."""

    def __init__(
        self,
        queue: str | Queue,
        receive: Callable[[list[Any]], None],
        *,
        prefetch: int,
        exclusive: bool = False,
        arguments: Table | None = None,
        any_size: bool = False,
        in_runs: bool = False,
        delivery: type[Delivery] = Delivery,
        settings: ClientSettings,
        clock: Clock,
        desired: Desired,
        control: Control,
        changed: Callable[[], None],
    ) -> None:
        self._queue = queue
        self.receive = receive
        self.prefetch = prefetch
        self.exclusive = exclusive
        self.arguments: Table = arguments or {}
        self.any_size = any_size
        #: Whether what is received are Runs, not Deliveries.
        self.in_runs = in_runs
        #: What is made of each message, if not.
        self.delivery = delivery
        self.settings = settings
        self.clock = clock
        #: Called when a consumer has come or gone.
        self.changed = changed
        self._desired = desired
        self._control = control
        self._consumers: list[Consumer] = []
        self._is_cancelled = False

    def __repr__(self) -> str:
        live = sum(consumer.is_live for consumer in self._consumers)
        return f"<Consumption of {self.queue!r}, {live} of {len(self._consumers)} live>"

    @property
    def queue(self) -> str:
        """What the broker calls the queue at the moment."""
        return self._desired.name_of(self._queue)

    @property
    def is_live(self) -> bool:
        """Whether the broker agrees that all of the pool consume."""
        return bool(self._consumers) and all(consumer.is_live for consumer in self._consumers)

    @property
    def trouble(self) -> ClientError | None:
        """Why the broker does not let one of the pool consume; None if it does, or was not asked yet."""
        return next((each.trouble for each in self._consumers if each.trouble is not None), None)

    @property
    def in_hand(self) -> int:
        """Messages delivered and not settled."""
        return sum(consumer.in_hand for consumer in self._consumers)

    async def begin(self, links: list[Link]) -> None:
        """Start a consumer on each of these links.

        Raises:
            BrokerRefused, NotConnected, LoginRefused: one cannot be; none is then.
        """
        self._consumers = [Consumer(self, link) for link in links]
        try:
            await asyncio.gather(*[consumer.begin() for consumer in self._consumers])
        except BaseException:
            await self.cancel()
            raise

    def listen(self, *, is_wanted: bool) -> None:
        """Let nothing come off the line for now, or again; the broker keeps what it has to say.

        For who has as many bytes in hand as he can hold: a prefetch counts messages of any size. Nothing
        else is heard on these connections meanwhile, so another client is asked how full the queue is.
        """
        for consumer in self._consumers:
            consumer.listen(is_wanted=is_wanted)

    async def cancel(self) -> None:
        """Let nothing more come. What is in hand can still be settled; its channels stay until it is."""
        self._is_cancelled = True
        await asyncio.gather(*[consumer.cancel() for consumer in self._consumers])

    @property
    def is_over(self) -> bool:
        """Whether it was cancelled, and all its messages are settled."""
        return self._is_cancelled and not self.in_hand

    async def mend(self) -> None:
        """Make the queue again, if it should be there."""
        await self._control.mend(self._queue)
