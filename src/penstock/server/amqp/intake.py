"""Intake: what a client says, item by item, to the handshake, the channels and the verbs.

Publishes that follow each other on a channel go together. What comes for a channel, or a connection,
that has failed is skipped until the client agrees. While the session is held, items are parked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import PenstockError
from penstock.server.amqp.channel import Channel
from penstock.server.amqp.errors import ChannelFault, fault_of
from penstock.server.amqp.streaming import Streaming
from penstock.server.amqp.verbs import VERBS
from penstock.wire.amqp import method_frame
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.items import ACK, BODY_START, FAILURE, METHOD, NACK, PUBLISH, REJECT
from penstock.wire.amqp.methods import (
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionClose,
    ConnectionCloseOk,
)

if TYPE_CHECKING:
    from penstock.server.amqp.session import AmqpSession
    from penstock.wire.amqp import Failure, Item
    from penstock.wire.amqp.methods import Method

__all__ = ["Intake"]

#: Class and method that an error in a settlement is told with.
SETTLEMENTS: Final = {ACK: 80, NACK: 120, REJECT: 90}
BASIC: Final = 60
PUBLISH_ID: Final = 40


class Intake:
    """One session's items."""

    __slots__ = ("_failed", "_parked", "_session", "streaming")

    def __init__(self, session: AmqpSession) -> None:
        self._session = session
        #: Channels that failed, until the client agrees.
        self._failed: set[int] = set()
        #: What waits until the session is read from again.
        self._parked: list[Item] | None = None
        self.streaming: Streaming | None = None

    # Held, and going on

    def park(self) -> None:
        """Take nothing from here on, keep it."""
        if self._parked is None:
            self._parked = []

    def resume(self) -> None:
        """Take what was kept, and go on."""
        parked, self._parked = self._parked, None
        if parked:
            self.take(parked)

    def forget(self) -> None:
        """The connection ends: nothing of it is wanted any more."""
        self._parked = None
        if self.streaming is not None:
            self.streaming.abandon()

    # Items

    def take(self, items: list[Item]) -> None:
        """Take items in order."""
        batch: list[Any] = []
        current = 0
        for item in items:
            if item[0] is PUBLISH:
                if item[1] != current and batch:
                    self._publish(current, batch)
                    batch = []
                current = item[1]
                batch.append(item)
                continue
            if batch:
                self._publish(current, batch)
                batch = []
            self._take_one(item)
        if batch:
            self._publish(current, batch)

    def _publish(self, number: int, batch: list[Any]) -> None:
        session = self._session
        if session.greeting is not None:
            session.greeting.take(batch[0])
            return
        if not session.has_published:
            session.publishes()
        if self._parked is not None:
            self._parked += batch
            return
        channel = session.channels.get(number)
        if channel is None:
            self._take_stray(number)
            return
        try:
            (channel.transaction or channel.publishing).publish(batch)
        except PenstockError as error:
            session.fail(channel, fault_of(error), BASIC, PUBLISH_ID)

    def _take_one(self, item: Any) -> None:
        session = self._session
        kind, number = item[0], item[1]
        if session.greeting is not None:
            session.greeting.take(item)
            return
        if kind is BODY_START and not session.has_published:
            session.publishes()
        if self._parked is not None:
            self._parked.append(item)
        elif kind is FAILURE:
            self._take_failure(item[2])
        elif number == 0:
            self._take_connection(item)
        elif kind is METHOD:
            self._take_method(number, item[2])
        elif (channel := session.channels.get(number)) is None:
            self._take_stray(number)
        elif kind in SETTLEMENTS:
            self._settle(channel, item)
        else:
            self._stream(channel, item)

    def _take_stray(self, number: int) -> None:
        """Something came on a channel that is not open."""
        if number not in self._failed and not self._session.is_ending:
            self._session.end(ReplyCode.CHANNEL_ERROR, "expected 'channel.open'")

    def _take_failure(self, failure: Failure) -> None:
        """The decoder has found a mistake, and takes nothing more there."""
        number, close = failure.reply()
        if self._session.is_ending:
            return
        if number:
            self.fail(number, close)
        else:
            self._session.close(close)

    # The connection

    def _take_connection(self, item: Item) -> None:
        session = self._session
        if item[0] is not METHOD:
            return
        if isinstance(method := item[2], ConnectionClose):
            session.front.said_farewell(session)
        elif isinstance(method, ConnectionCloseOk):
            session.transport.close()
        elif session.is_ending:
            return
        elif (verb := VERBS.get(type(method))) is not None:
            session.out.append(method_frame(0, verb(session, method)))  # type: ignore[arg-type]
            session.will_flush()
        else:
            detail = "unexpected method in connection state running"
            session.end(ReplyCode.CHANNEL_ERROR, detail, *divmod(method.id, 1 << 16))

    # Channels

    def _take_method(self, number: int, method: Method) -> None:
        session = self._session
        if session.is_ending:
            return
        if isinstance(method, ChannelClose):
            self._close(number)
        elif isinstance(method, ChannelCloseOk):
            self._failed.discard(number)
        elif number in self._failed:
            return
        elif isinstance(method, ChannelOpen):
            self._open(number)
        elif (channel := session.channels.get(number)) is None:
            self._take_stray(number)
        else:
            self._do(channel, method)

    def _open(self, number: int) -> None:
        session = self._session
        opened, most = len(session.channels), session.channel_max
        if number in session.channels:
            session.end(ReplyCode.CHANNEL_ERROR, "second 'channel.open' seen", 20, 10)
        elif 0 < most <= opened:
            reached = f"number of channels opened ({opened}) has reached the negotiated channel_max ({most})"
            session.end(ReplyCode.NOT_ALLOWED, reached, 20, 10)
        else:
            channel = session.channels[number] = Channel(session, number)
            session.front.counted.channels += 1
            channel.ledger.flowing = session.is_flowing
            channel.send(ChannelOpenOk())

    def _close(self, number: int) -> None:
        """The client closes a channel; one that failed waits for the client's agreement all the same."""
        session = self._session
        if number not in session.channels and number not in self._failed:
            self._take_stray(number)
            return
        self.drop(number)
        session.out.append(method_frame(number, ChannelCloseOk()))
        session.will_flush()

    def _do(self, channel: Channel, method: Method) -> None:
        verb = VERBS.get(type(method))
        try:
            if verb is None:
                raise ChannelFault(ReplyCode.NOT_IMPLEMENTED, f"{method.name} is not implemented")
            reply = verb(channel, method)
        except PenstockError as error:
            self._session.fail(channel, fault_of(error), *divmod(method.id, 1 << 16))
            return
        if reply is not None and not getattr(method, "nowait", False):
            channel.send(reply)

    def _settle(self, channel: Channel, item: Any) -> None:
        try:
            (channel.transaction or channel.settling).settle(item)
        except PenstockError as error:
            self._session.fail(channel, fault_of(error), BASIC, SETTLEMENTS[item[0]])

    def _stream(self, channel: Channel, item: Any) -> None:
        if self.streaming is None:
            self.streaming = Streaming(self._session)
        self.streaming.take(channel, item)

    # Ends

    def fail(self, number: int, close: Method) -> None:
        """Close a channel; what follows on it is skipped until the client agrees."""
        self.drop(number)
        self._failed.add(number)
        self._session.out.append(method_frame(number, close))
        self._session.will_flush()

    def drop(self, number: int) -> None:
        """A channel ends, with all that is in its hands."""
        channel = self._session.channels.pop(number, None)
        if channel is not None:
            if self.streaming is not None:
                self.streaming.abandon(channel)
            self._session.front.counted.confirmed += channel.publishing.confirmed
            channel.close()
