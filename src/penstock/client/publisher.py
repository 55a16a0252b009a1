"""Publishing: a connection of its own, a pool of channels in confirm mode, and those who wait for them.

A publish never awaits anything but its confirm. It is written at once if it can be; while there is no
connection, the broker has blocked it, does not read, or has too much to confirm, it waits in line, and its
deadline runs. One connection for publishing alone, since a blocked one must not keep consumers from settling.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from penstock.client.deadlines import Deadlines
from penstock.client.output import nothing
from penstock.client.pool import ChannelPool
from penstock.client.publishing import Publishing, SinglePublishing
from penstock.errors import NotConnected, PublishRefused, PublishTimeout
from penstock.wire.amqp import CannotEncode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.client.counters import Counters
    from penstock.client.link import Link
    from penstock.client.publisher_channel import PublisherChannel
    from penstock.client.settings import ClientSettings
    from penstock.client.values import Outgoing
    from penstock.clock import Clock
    from penstock.errors import PublishError

__all__ = ["Publisher"]


class Publisher:
    """Takes messages, and tells of each what became of it."""

    def __init__(self, link: Link, settings: ClientSettings, counters: Counters, clock: Clock) -> None:
        self.link = link
        link.on_change = self._link_changed
        self._settings = settings
        self._counters = counters
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._pool = ChannelPool(settings.publisher_channels, settings.publish_window)
        self._waiting: deque[Publishing] = deque()
        self._deadlines = Deadlines(clock, self._expire)
        self._is_closed = False
        #: Called when the connection has come or gone, or the broker has blocked or unblocked us.
        self.on_change: Callable[[], None] = nothing

    def __repr__(self) -> str:
        return f"<Publisher {len(self._waiting)} waiting, {self._pool}, {self.link}>"

    @property
    def is_idle(self) -> bool:
        """Whether everything is settled."""
        return not self._waiting and self._pool.is_idle

    def publish(self, outgoing: Outgoing, timeout: float | None) -> asyncio.Future[None]:
        """One message; the future is done when it is confirmed."""
        publishing = SinglePublishing((outgoing,), self._deadline(timeout), self._loop.create_future())
        try:
            self._submit(publishing)
        except (CannotEncode, NotConnected) as error:
            # Told where everything else is: one of many must not keep the others from being published.
            publishing.future.set_exception(error)
        return publishing.future

    async def publish_many(
        self,
        outgoings: Sequence[Outgoing],
        timeout: float | None,  # noqa: ASYNC109 (a deadline of our own)
    ) -> list[PublishError | None]:
        """Messages in order on one channel; what became of each."""
        return await self._publish_all(outgoings, self._deadline(timeout)) if outgoings else []

    async def _publish_all(self, outgoings: Sequence[Outgoing], deadline: float) -> list[PublishError | None]:
        publishing = Publishing(outgoings, deadline, self._loop.create_future())
        try:
            self._submit(publishing)
            await publishing.future
        except CannotEncode as exc:
            if len(outgoings) == 1:
                return [PublishRefused(f"it has no place on the wire: {exc}", is_final=True)]
            # None was sent, and nobody knows which of them it is.
            half = len(outgoings) // 2
            first = await self._publish_all(outgoings[:half], deadline)
            return first + await self._publish_all(outgoings[half:], deadline)
        return publishing.results

    def close(self) -> None:
        """Take no more."""
        self._is_closed = True

    def stop(self) -> None:
        """Nothing is waited for any more."""
        self._abandon(NotConnected("the client is closed"))
        self._deadlines.stop()

    def _deadline(self, timeout: float | None) -> float:
        return self._clock.now() + (self._settings.publish_timeout if timeout is None else timeout)

    def _submit(self, publishing: Publishing) -> None:
        """Write it, or let it wait.

        Raises:
            CannotEncode: it has no place on the wire.
            NotConnected: there is no connection, and none will come.
        """
        if self._is_closed:
            raise NotConnected("the client is closed")
        channel = None if self._waiting else self._maybe_channel()
        if channel is not None:
            channel.publish(publishing)
        else:
            if self.link.failure is not None:
                raise NotConnected(str(self.link.failure))
            self.link.start(is_known=True)
            self._waiting.append(publishing)
        self._deadlines.watch(publishing.deadline)

    def _maybe_channel(self) -> PublisherChannel | None:
        """A channel that can take something now."""
        connection = self.link.connection
        if connection is None or connection.is_held or not connection.is_open:
            return None
        return self._pool.maybe_channel(connection)

    # Those who wait

    def _link_changed(self) -> None:
        connection = self.link.connection
        if connection is not None:
            connection.on_read = self._maybe_drain
            connection.on_flow = self._maybe_drain
            connection.on_block = self.on_change
            self._maybe_drain()
        elif self.link.failure is not None:
            self._abandon(NotConnected(str(self.link.failure)))
        self.on_change()

    def _maybe_drain(self) -> None:
        waiting = self._waiting
        while waiting:
            if waiting[0].future.done():
                waiting.popleft()
                continue
            channel = self._maybe_channel()
            if channel is None:
                return
            publishing = waiting.popleft()
            try:
                channel.publish(publishing)
            except Exception as error:  # noqa: BLE001  the caller's mistake, and no reason to lose the connection
                publishing.abandon(error)

    def _abandon(self, error: NotConnected) -> None:
        waiting, self._waiting = self._waiting, deque()
        for publishing in waiting:
            publishing.abandon(NotConnected(str(error)))

    def _expire(self, now: float) -> float:
        following = self._pool.expire(now)
        kept: deque[Publishing] = deque()
        for publishing in self._waiting:
            if publishing.deadline > now:
                kept.append(publishing)
                following = min(following, publishing.deadline)
            else:
                self._give_up(publishing)
        self._waiting = kept
        return following

    def _give_up(self, publishing: Publishing) -> None:
        connection = self.link.connection
        if connection is None:
            reason = "not connected to the broker"
        elif connection.blocked_reason is not None:
            reason = f"the broker takes no publishes: {connection.blocked_reason}"
        else:
            reason = "the broker does not keep up"
        self._counters.timed_out += publishing.left
        for position in range(len(publishing.outgoings)):
            publishing.fail(position, PublishTimeout(f"not sent in time: {reason}"))
