"""A consumer that comes back: one channel of a consumption, kept alive over every loss.

It begins again after the loss of its connection or channel, and after the broker has cancelled it; then the
queue is made again first, if the client wants it to be there.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.client.backoff import Backoff
from penstock.client.channel import retrieve
from penstock.client.receiving import ConsumerChannel
from penstock.client.run_channel import RunChannel
from penstock.clock import sleep
from penstock.errors import BrokerRefused, ClientError, NotConnected
from penstock.wire.amqp.methods import BasicCancel, BasicConsume, BasicQos

if TYPE_CHECKING:
    from penstock.client.consumption import Consumption
    from penstock.client.link import Link

__all__ = ["Consumer"]

log = logging.getLogger(__name__)


class Consumer:
    """One of a consumption's pool. `begin` it, then `cancel` it."""

    def __init__(self, consumption: Consumption, link: Link) -> None:
        self._consumption = consumption
        self._link = link
        self._channel: ConsumerChannel | None = None
        self._tag = ""
        #: Whether the broker was asked to deliver, and has not answered.
        self._is_asking = False
        self._backoff = Backoff(consumption.settings)
        #: Set when it has to begin again.
        self._ended = asyncio.Event()
        self._began: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._began.add_done_callback(retrieve)
        self._task: asyncio.Task[None] | None = None
        #: Whether the broker agrees that it consumes.
        self.is_live = False
        #: Why the broker did not agree, when it was asked last; None if it did.
        self.trouble: ClientError | None = None
        link.load += 1

    def __repr__(self) -> str:
        return f"<Consumer {self._tag} of {self._consumption.queue!r}, {'live' if self.is_live else 'away'}>"

    @property
    def in_hand(self) -> int:
        """Messages delivered and not settled."""
        channel = self._channel
        return channel.settling.in_hand if channel is not None and channel.is_open else 0

    def listen(self, *, is_wanted: bool) -> None:
        """As `Consumption.listen`."""
        if self._channel is not None:
            self._channel.connection.listen(is_wanted=is_wanted)

    async def begin(self) -> None:
        """Consume, for the first time.

        Raises:
            BrokerRefused: there is no such queue, or it is not ours to consume.
            NotConnected, LoginRefused: there is no connection, and none will come.
        """
        self._task = asyncio.get_running_loop().create_task(self._keep(), name=f"penstock {self}")
        await asyncio.shield(self._began)

    async def cancel(self) -> None:
        """Let nothing more come; what is in hand can still be settled."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
            self._link.load -= 1
        channel = self._channel
        was_live, self.is_live = self.is_live, False
        if channel is None or not channel.is_open:
            return
        if self._is_asking:
            channel.close()  # nobody knows whether the broker has begun to deliver
            return
        if was_live:
            with suppress(ClientError, TimeoutError):
                await asyncio.wait_for(
                    channel.ask(BasicCancel(self._tag)), self._consumption.settings.answer_timeout
                )
        channel.retire()

    async def _keep(self) -> None:
        while True:
            try:
                await self._consume()
            except (BrokerRefused, NotConnected) as error:
                if not await self._is_worth_another_try(error):
                    return
                continue
            except ClientError as error:  # the login was refused: the link has given up
                self.trouble = error
                self._tell(error)
                return
            await self._ended.wait()
            self._consumption.changed()
            await self._mend()

    async def _is_worth_another_try(self, error: ClientError) -> bool:
        self.trouble = error
        is_first = not self._began.done()
        if self._link.failure is not None or (is_first and isinstance(error, BrokerRefused)):
            self._tell(error)
            return False
        log.warning("%s: cannot consume: %s", self, error)
        await self._mend()
        return True

    def _tell(self, error: ClientError) -> None:
        if not self._began.done():
            self._began.set_exception(error)

    async def _mend(self) -> None:
        """Wait a little, and see to it that there is something to consume from."""
        if self._link.is_up:
            await sleep(self._consumption.clock, self._backoff.next())
            with suppress(ClientError):
                await self._consumption.mend()

    async def _consume(self) -> None:
        connection = await self._link.ready()
        self._ended.clear()
        consumption = self._consumption
        queue = consumption.queue
        channel = self._channel
        if channel is None or not channel.is_open:
            kind = RunChannel if consumption.in_runs else ConsumerChannel
            channel = self._channel = kind(
                connection, queue, consumption.receive, self._end, consumption.delivery
            )
            if consumption.any_size:
                channel.max_body = sys.maxsize
            if consumption.prefetch:
                channel.ask(BasicQos(prefetch_count=consumption.prefetch))
        # Cancelled only: its channel is kept, and with it the right to settle what is in hand.
        self._is_asking = True
        answer = await channel.ask(
            BasicConsume(queue, exclusive=consumption.exclusive, arguments=consumption.arguments)
        )
        self._is_asking = False
        self._tag = answer.consumer_tag
        self.is_live = not self._ended.is_set()
        if not self._began.done():
            self._began.set_result(None)
        self.trouble = None
        if self.is_live:
            self._backoff.reset()
            consumption.changed()

    def _end(self, error: ClientError | None) -> None:
        """The channel is gone, or the broker has cancelled the consumer on it."""
        self.is_live = False
        self._ended.set()
