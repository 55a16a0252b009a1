"""The fan exchange: publish on a channel, subscribe to it.

It remembers only which channels it has made sure of; who is subscribed is the broker's business.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.errors import InvalidMessage, Unroutable
from penstock.messaging import Destination, Message
from penstock.workers.fan.channels import LEASE, LONGEST_PIPE, channel_topology, new_pipe, pipe_topology
from penstock.workers.fan.pipe import Pipe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from penstock.messaging.amqp import AmqpBroker

__all__ = ["FanExchange"]


class FanExchange:
    """Channels and pipes on one broker. Any number of these may be at work, in any number of processes."""

    def __init__(self, broker: AmqpBroker) -> None:
        self.broker = broker
        self._known: set[str] = set()

    def __repr__(self) -> str:
        return f"<FanExchange of {', '.join(sorted(self._known)) or 'nothing yet'}>"

    async def publish(self, channel: str, message: Any, **properties: Any) -> bool:
        """Publish a message to all who are subscribed, and return when the broker has it.

        Args:
            channel: Such as ps_building.
            message: Anything that JSON can say; Keno Antigen's are `{route, user_id?, content}`.
            properties: More of a Message's: id, durable, expires_in …

        Returns:
            Whether anybody is; if nobody, the message is gone.

        Raises:
            BadChannel: no channel is called so.
            InvalidMessage: JSON cannot say it.
            PublishError: the broker refused it, or was away for too long.
        """
        try:
            body = msgspec.json.encode(message)
        except (TypeError, ValueError, msgspec.MsgspecError) as exc:
            raise InvalidMessage(f"the message for {channel} cannot be written as JSON: {exc}") from exc
        await self.make(channel)
        try:
            await self.broker.publish(Message(body=body, **properties), Destination(channel, ""))
        except Unroutable:
            return False
        return True

    async def make(self, channel: str) -> None:
        """Have the broker know the channel."""
        if channel not in self._known:
            await self.broker.initialize(channel_topology(channel))
            self._known.add(channel)

    @asynccontextmanager
    async def subscribe(
        self,
        channel: str,
        *more: str,
        pipe: str | None = None,
        lease: float = LEASE,
        length: int = LONGEST_PIPE,
        prefetch: int = 100,
    ) -> AsyncIterator[Pipe]:
        """Have a pipe as long as the block lasts: `async for message in pipe`.

        Args:
            channel: What to subscribe to.
            more: Channels that come through the same pipe.
            pipe: Its name, for a subscriber that comes back and then wants what came meanwhile; such a pipe
                stays for the lease. With none it is gone with the block.
            lease: Seconds that the pipe outlives a subscriber that was killed.
            length: Messages that it holds at most; the oldest go first.
            prefetch: Messages that are brought here before they are asked for.

        Raises:
            BadChannel: a name is none.
            BrokerRefused: the pipe is there with another lease or length.
        """
        topology = pipe_topology(pipe or new_pipe(channel), (channel, *more), lease=lease, length=length)
        [queue] = topology.queues
        await self.broker.initialize(topology)
        reading = Pipe(queue.name)
        try:
            subscribed = await self.broker.subscribe(queue.name, reading.receive, prefetch=prefetch)
            try:
                yield reading
            finally:
                await subscribed.cancel()
                reading.close()
        finally:
            if pipe is None:
                await self.broker.client.withdraw(queue)
            else:
                self.broker.client.forget(queue)

    # For those who ask by message, and take from the pipe in their own way

    async def add(self, pipe: str, channels: Sequence[str] = ()) -> None:
        """Have a pipe that somebody else takes from; its lease is theirs to renew."""
        topology = pipe_topology(pipe, channels)
        await self.broker.initialize(topology)
        # A pipe that has died meanwhile must not be made again when our own connection comes back.
        self.broker.client.forget(*topology.queues)

    async def remove(self, pipe: str) -> None:
        """Have a pipe no longer; one that is not there is no mistake."""
        await self.broker.client.withdraw(*pipe_topology(pipe).queues)
