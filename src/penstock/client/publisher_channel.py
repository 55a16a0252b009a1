"""A channel in confirm mode: publishes in, confirms and returns out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from penstock.client.channel import Channel
from penstock.client.confirms import Confirms
from penstock.errors import BrokerRefused
from penstock.wire.amqp import PublishEncoder, body_of
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.items import RETURN
from penstock.wire.amqp.methods import ConfirmSelect

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.bodies import LargeBody
    from penstock.client.connection import Connection
    from penstock.client.publishing import Publishing
    from penstock.errors import ClientError

__all__ = ["PublisherChannel"]


class PublisherChannel(Channel):
    """Sends publishes and tells each what became of it."""

    def __init__(
        self,
        connection: Connection,
        *,
        is_for_one: bool = False,
        on_end: Callable[[PublisherChannel], None] = lambda _channel: None,
    ) -> None:
        """A channel for one publish closes itself when that is settled."""
        super().__init__(connection)
        self._on_end = on_end
        self.confirms = Confirms(connection.counters)
        self._encoder = PublishEncoder(self.number, connection.frame_max)
        self._is_for_one = is_for_one
        self.ask(ConfirmSelect())

    def publish(self, publishing: Publishing) -> None:
        """Send all its messages, in order.

        Raises:
            CannotEncode: one of them has no place on the wire; none was sent.
        """
        connection = self.connection
        encode = self._encoder.publish
        frames: list[bytes] = []
        size = 0
        route: Any  # a PublishArgs to all who ask, without the price of making one
        for exchange, routing_key, body, properties, mandatory in publishing.outgoings:
            route = (exchange, routing_key, mandatory, False)
            encode(frames, route, properties, body)
            size += len(body)
        self.confirms.add(publishing)
        connection.out += frames
        connection.will_flush(size)

    def confirmed(self, tag: int, *, is_multiple: bool) -> None:
        self.confirms.confirm(tag, is_multiple=is_multiple)
        if self._is_for_one:
            self._maybe_leave()

    def refused(self, tag: int, *, is_multiple: bool) -> None:
        self.confirms.refuse(tag, is_multiple=is_multiple)
        if self._is_for_one:
            self._maybe_leave()

    def _maybe_leave(self) -> None:
        if not self.confirms.pending:
            self.close()

    def _returned(self, item: Any) -> None:
        self.confirms.give_back(item[2], item[3].raw, body_of(item[4]))

    def whole(self, large: LargeBody) -> None:
        if large.head[0] is RETURN:
            self.confirms.give_back(large.head[2], large.properties.raw, large.body)

    def expire(self, now: float) -> float:
        """Give up what is past its deadline; when the next one will be."""
        following = self.confirms.expire(now)
        if self._is_for_one:
            self._maybe_leave()
        return following

    def ended(self, error: ClientError) -> None:
        self._on_end(self)
        # With 406 a broker closes a channel because of one message: too large, or with a header that it
        # takes for its own. Whether it is that one is known if there is no other.
        is_refusal = isinstance(error, BrokerRefused)
        is_of_one = self.connection.is_open and getattr(error, "code", 0) == ReplyCode.PRECONDITION_FAILED
        self.confirms.lose(str(error), is_refusal=is_refusal, is_of_one=is_of_one)

    ITEMS: ClassVar = {**Channel.ITEMS, RETURN: _returned}
