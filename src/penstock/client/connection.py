"""A connection to a broker, on asyncio: bytes to the decoder, its items to the channels, one write a turn.

Here are the loops that run for every message; whatever is rarer is in the channels. A connection that is gone
stays gone: `link.py` makes the next one.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from penstock.client.channel import retrieve
from penstock.client.greeting import handshake, refusal
from penstock.client.numbers import ChannelNumbers
from penstock.client.output import WRITE_HIGH, Output, nothing
from penstock.client.values import ServerInfo
from penstock.errors import ClientError, NotConnected
from penstock.wire.amqp import ClientDecoder, Failure, Limits
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.handshake import Ended, Opened
from penstock.wire.amqp.items import ACK, DELIVER, METHOD, NACK
from penstock.wire.amqp.methods import ConnectionBlocked, ConnectionUnblocked

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.channel import Channel
    from penstock.client.counters import Counters
    from penstock.client.settings import ClientSettings
    from penstock.client.url import BrokerUrl
    from penstock.wire.amqp import Item

__all__ = ["Connection"]

log = logging.getLogger(__name__)

#: Bytes that a frame may have beyond what was agreed: brokers write x-death on a dead message without
#: asking whether its headers still fit, and who refused it would be given it again and again.
DEATHS: Final = 1024 * 1024
#: Bytes of a read that are not little. uvloop reads 256,000 at most, so that more are likely to be there.
ENOUGH: Final = 64 * 1024


class Connection(Output):
    """One connection, from the socket to its loss."""

    def __init__(self, url: BrokerUrl, settings: ClientSettings, counters: Counters, name: str) -> None:
        super().__init__()
        self.settings = settings
        self.counters = counters
        self.name = name
        self.decoder = ClientDecoder(Limits(frame_max=0, channel_max=0))
        self.channels: dict[int, Channel] = {}
        self.server = ServerInfo()
        self.frame_max = 0
        #: Done when the connection is open, or cannot be.
        self.opened: asyncio.Future[None] = self.loop.create_future()
        self.opened.add_done_callback(retrieve)
        #: Done when it is gone, with the reason.
        self.lost: asyncio.Future[ClientError] = self.loop.create_future()
        #: Whether something can be asked of it now.
        self.is_open = False
        self._has_transport = False
        #: Called when a read is over, and when the broker has blocked or unblocked us.
        self.on_read: Callable[[], None] = nothing
        self.on_block: Callable[[], None] = nothing
        self._handshake = handshake(url, settings, name)
        self._numbers = ChannelNumbers()
        #: Seconds without a read after this one.
        self._gather_in = 0.0
        #: Why it ends, once somebody knows.
        self._reason: ClientError | None = None

    def __repr__(self) -> str:
        state = "lost" if self.lost.done() else f"blocked: {self.blocked_reason}, clogged: {self.is_clogged}"
        return f"<Connection {self.name}, {len(self.channels)} channels, {state}>"

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is there: say hello."""
        self.transport = transport  # type: ignore[assignment]
        self._has_transport = True
        if self._reason is not None:  # too late
            self.transport.abort()
            return
        self.transport.set_write_buffer_limits(WRITE_HIGH)
        self.transport.write(self._handshake.data_to_send())

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone, and everything with it."""
        self.is_lost = True
        self.heartbeat.stop()
        reason = self._over(NotConnected(f"the connection was lost: {exc or 'the broker hung up'}"))
        if not self.lost.done():
            self.lost.set_result(reason)
        if not self.opened.done():
            self.opened.set_exception(reason)
        for channel in list(self.channels.values()):
            channel.lose(reason if isinstance(reason, NotConnected) else NotConnected(str(reason)))
        self.channels.clear()
        self.out.clear()
        self.on_flow()

    def data_received(self, data: bytes) -> None:
        """All complete frames of a read, in one pass."""
        self.heartbeat.heard = True
        try:
            self._take(self.decoder.receive(data))
        except Exception as error:
            # Our own mistake; what it left behind is not to be trusted.
            log.exception("%s: internal error", self)
            self.abort(f"internal error: {error!r}")
        if self._gather_in:
            self._pause(len(data))

    def gather(self, seconds: float) -> None:
        """Let the socket gather for so long, once this read is over; unless that was enough."""
        self._gather_in = seconds

    def _pause(self, read: int) -> None:
        seconds, self._gather_in = self._gather_in, 0.0
        if read < ENOUGH and self.is_open and not self.heartbeat.is_deaf:
            self.transport.pause_reading()
            self.loop.call_later(seconds, self._read_on)

    def _read_on(self) -> None:
        if not self.is_lost and not self.heartbeat.is_deaf:
            self.transport.resume_reading()

    def listen(self, *, is_wanted: bool) -> None:
        """Read nothing from now on, or go on reading: what the broker has to say waits, answers too."""
        if self.is_open and self.heartbeat.is_deaf is is_wanted:
            self.heartbeat.is_deaf = not is_wanted
            if is_wanted:
                self.transport.resume_reading()
            else:
                self.transport.pause_reading()

    def _take(self, items: list[Item]) -> None:
        channels = self.channels
        touched: dict[Channel, None] = {}
        item: Any  # what the kind says of the rest, `items.py` tells
        for item in items:
            kind = item[0]
            channel = channels.get(item[1])
            if channel is None:
                if not item[1]:
                    self._control(item)
            elif kind is DELIVER:
                channel.arrived.append(item)
                touched[channel] = None
            elif kind is ACK:
                channel.confirmed(item[2], is_multiple=item[3])
            elif kind is NACK:
                channel.refused(item[2], is_multiple=item[3])
            else:
                channel.take(item)
        for channel in touched:
            channel.hand_over()
        self.on_read()

    def _control(self, item: Item) -> None:
        """What is said on channel 0."""
        method: Any = item[2] if item[0] is METHOD else None
        if isinstance(method, ConnectionBlocked | ConnectionUnblocked) and self.is_open:
            self.block(method.reason if isinstance(method, ConnectionBlocked) else None)
            log.warning(
                "%s: publishes are blocked by the broker: %s", self.name, self.blocked_reason or "no more"
            )
            self.on_block()
            return
        event = self._handshake.receive(item)
        data = self._handshake.data_to_send()
        if data:
            self.transport.write(data)
        if isinstance(event, Opened):
            self._open(event)
        elif isinstance(event, Ended):
            self._end(refusal(event.code, event.text, was_open=self.opened.done()))
        elif isinstance(event, Failure):
            self._end(NotConnected(f"the broker broke the protocol: {event.detail}"))

    def _open(self, event: Opened) -> None:
        tuning = event.tuning
        most = tuning.frame_max + DEATHS if tuning.frame_max else 0
        self.decoder.tune(frame_max=most, channel_max=tuning.channel_max)
        self.frame_max = tuning.frame_max
        self._numbers = ChannelNumbers(tuning.channel_max)
        self.server = ServerInfo.of(event.server_properties)
        self.heartbeat.start(tuning.heartbeat, self.transport)
        if self._reason is None:
            self.is_open = True
            self.opened.set_result(None)

    # Channels

    def adopt(self, channel: Channel) -> int:
        """The number of a new channel.

        Raises:
            NotConnected: none is left, or the connection is no more.
        """
        if not self.is_open:
            raise NotConnected(str(self._reason or "the connection is not open"))
        number = self._numbers.take()
        self.channels[number] = channel
        return number

    @property
    def has_room(self) -> bool:
        """Whether another channel can be opened."""
        return self._numbers.has_room

    def forget(self, channel: Channel) -> None:
        """A channel is closed at both ends: its number is free again."""
        if self.channels.pop(channel.number, None) is not None:
            self._numbers.give_back(channel.number)

    # Ends

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 (the farewell's, not the caller's)
        """Say farewell, and wait for the broker to hear it."""
        if self.is_open:
            self.flush()
            self._handshake.close(ReplyCode.SUCCESS, "done")
            self.decoder.discard(0)
            self.transport.write(self._handshake.data_to_send())
            self._over(NotConnected("the connection is closed"))
            await asyncio.wait([self.lost], timeout=timeout)
        self.abort("closed")
        if self._has_transport:
            await asyncio.wait([self.lost], timeout=timeout)

    def abort(self, reason: str) -> None:
        """Hang up at once."""
        self._over(NotConnected(f"the connection was lost: {reason}"))
        if self._has_transport:
            self.transport.abort()

    def _end(self, reason: ClientError) -> None:
        self._over(reason)
        self.transport.close()

    def _over(self, reason: ClientError) -> ClientError:
        """Nothing more is asked; the first reason that somebody knows stays."""
        self.is_open = False
        self._reason = self._reason or reason
        return self._reason
