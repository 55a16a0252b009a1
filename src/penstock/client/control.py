"""Questions about the wiring: one channel, one asker at a time, so that a refusal hits nobody else."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, TypeVar

from penstock.client.channel import Channel
from penstock.client.desired import in_order
from penstock.client.values import Binding, Queue, QueueState
from penstock.errors import BrokerRefused, NotConnected
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import QueueDeclare, QueueDelete, QueuePurge

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from penstock.client.connection import Connection
    from penstock.client.desired import Desired
    from penstock.client.link import Link
    from penstock.client.settings import ClientSettings
    from penstock.client.values import Thing

__all__ = ["Control"]

log = logging.getLogger(__name__)

T = TypeVar("T")


class Control:
    """Declares, removes, purges and looks; asks again by itself if the connection goes in between."""

    def __init__(self, link: Link, desired: Desired, settings: ClientSettings) -> None:
        self._link = link
        self._desired = desired
        self._settings = settings
        self._lock = asyncio.Lock()
        self._channel: Channel | None = None

    def __repr__(self) -> str:
        return f"<Control on {self._channel}>"

    async def declare(self, things: Sequence[Thing]) -> None:
        """Make things and keep them: what is refused is not kept."""
        await self._ask(lambda channel: self._make(channel, things))
        self._desired.add(things)

    async def withdraw(self, things: Sequence[Thing], *, only_if_idle: bool = False) -> None:
        """Remove things and do not make them again; queues, if asked, only when empty and unused."""
        removals = [self._desired.removing(thing) for thing in reversed(in_order(things))]
        if only_if_idle:
            removals = [
                QueueDelete(removal.queue, if_unused=True, if_empty=True)
                if isinstance(removal, QueueDelete)
                else removal
                for removal in removals
            ]
        self._desired.discard(things)

        async def remove(channel: Channel) -> None:
            for answer in [channel.ask(removal) for removal in removals]:
                await answer

        await self._ask(remove)

    async def purge(self, queue: str | Queue) -> int:
        """Drop what waits in a queue; how many messages that were."""

        async def purge(channel: Channel) -> int:
            answer = await channel.ask(QueuePurge(self._desired.name_of(queue)))
            count: int = answer.message_count
            return count

        return await self._ask(purge)

    async def state(self, queue: str | Queue) -> QueueState | None:
        """How full a queue is; None if there is none of that name."""

        async def look(channel: Channel) -> QueueState:
            answer = await channel.ask(QueueDeclare(self._desired.name_of(queue), passive=True))
            return QueueState(answer.message_count, answer.consumer_count)

        try:
            return await self._ask(look)
        except BrokerRefused as refused:
            if refused.code == ReplyCode.NOT_FOUND:
                return None
            raise

    async def mend(self, queue: str | Queue) -> None:
        """Make a queue again that should be there, with its bindings."""
        things = self._desired.around(queue)
        if things:
            await self._ask(lambda channel: self._make(channel, things))

    async def restore(self, connection: Connection) -> None:
        """Make everything again that should be there, on a new connection that nobody else has yet.

        What the broker refuses is logged and left out: the rest is needed all the same.
        """
        things = self._desired.all()
        within = self._settings.answer_timeout
        try:
            async with asyncio.timeout(within):
                await self._restore(connection, things)
        except TimeoutError as exc:
            raise NotConnected(f"the wiring was not restored within {within:g} s") from exc

    async def _restore(self, connection: Connection, things: list[Thing]) -> None:
        channel = Channel(connection)
        try:
            await self._make(channel, things)
        except BrokerRefused:
            for thing in things:
                await self._restore_one(connection, thing)
        else:
            self._channel = channel

    async def _restore_one(self, connection: Connection, thing: Thing) -> None:
        channel = Channel(connection)
        try:
            await self._make(channel, [thing])
        except BrokerRefused as refused:
            log.error("cannot restore %s: %s", thing, refused)  # noqa: TRY400 (the broker's words say it all)
        channel.close()

    async def _make(self, channel: Channel, things: Sequence[Thing]) -> None:
        """Declare things all at once, but bindings when the names of all queues are known."""
        bindings = [thing for thing in things if isinstance(thing, Binding)]
        joined = [thing for thing in in_order(things) if not isinstance(thing, Binding)]
        for group in (joined, bindings):
            asked = [(thing, channel.ask(self._desired.making(thing))) for thing in group]
            for thing, answer in asked:
                said = await answer
                if isinstance(thing, Queue) and not thing.name:
                    self._desired.named(thing, said.queue)

    async def _ask(self, work: Callable[[Channel], Awaitable[T]]) -> T:
        within = self._settings.answer_timeout
        try:
            async with asyncio.timeout(within), self._lock:
                was_refused = False
                while True:
                    connection = await self._link.ready()
                    try:
                        return await work(self._on(connection))
                    except NotConnected:
                        if connection.is_open:
                            raise
                        reason = connection.lost.result() if connection.lost.done() else None
                        if was_refused and isinstance(reason, BrokerRefused):
                            # Once may have been anybody's mistake; twice, it is this that the broker refuses.
                            raise reason from None
                        was_refused = isinstance(reason, BrokerRefused)
        except TimeoutError as exc:
            # What was asked may still be answered: on this channel nothing is in step any more.
            if self._channel is not None:
                self._channel.close()
            raise NotConnected(f"the broker did not answer within {within:g} s") from exc

    def _on(self, connection: Connection) -> Channel:
        channel = self._channel
        if channel is None or not channel.is_open or channel.connection is not connection:
            channel = self._channel = Channel(connection)
        return channel
