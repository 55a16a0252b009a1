"""A channel: questions and answers in order, and what the broker says unasked.

This class asks; `publisher_channel.py` and `receiving.py` add what publishing and consuming need. Channels
are opened without waiting: the broker takes what follows in order, and a refusal ends the connection.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar

from penstock.client.bodies import LargeBody
from penstock.errors import BrokerRefused, ClientError, NotConnected
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.items import BODY_END, BODY_PIECE, BODY_START, FAILURE, METHOD, Kind
from penstock.wire.amqp.methods import (
    BasicCancel,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ChannelOpen,
    Method,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from penstock.client.connection import Connection
    from penstock.wire.amqp import Item

__all__ = ["Channel", "retrieve"]

log = logging.getLogger(__name__)


class Channel:
    """One channel of a connection, from `channel.open` to its close by either end."""

    def __init__(self, connection: Connection) -> None:
        """Raises NotConnected if the connection has no channel left, or is no more."""
        self.connection = connection
        self.number = connection.adopt(self)
        self.is_open = True
        #: Bytes of a body that are gathered; more are let pass.
        self.max_body = connection.settings.max_body
        #: Deliveries of the current read, as they came.
        self.arrived: list[Any] = []
        #: Questions that were sent and not answered.
        self._asked: deque[asyncio.Future[Any]] = deque()
        self._large: LargeBody | None = None
        self.ask(ChannelOpen())

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed"
        return f"<{type(self).__name__} {self.number} of {self.connection.name}, {state}>"

    # What we say

    def send(self, method: Method) -> None:
        """Something that has no answer."""
        self.connection.send(self.number, method)

    def ask(self, method: Method) -> asyncio.Future[Any]:
        """Something that has one; answers come in the order of the questions.

        The answer raises BrokerRefused if the broker closes the channel instead, and NotConnected if the
        connection goes.
        """
        future: asyncio.Future[Any] = self.connection.loop.create_future()
        # Perhaps nobody waits for it: a refusal is also told to `ended`.
        future.add_done_callback(retrieve)
        if self.is_open:
            self.send(method)
            self._asked.append(future)
        else:
            future.set_exception(NotConnected("the channel is closed"))
        return future

    def close(self) -> None:
        """Nothing more is to happen here."""
        if self.is_open:
            self.send(ChannelClose(ReplyCode.SUCCESS, "done", 0, 0))
            self.connection.decoder.discard(self.number)
            self._end(NotConnected("the channel is closed"))

    # What the broker says

    def take(self, item: Item) -> None:
        """An item that is none of the frequent ones."""
        handle = self.ITEMS.get(item[0])
        if handle is not None:
            handle(self, item)

    def confirmed(self, tag: int, *, is_multiple: bool) -> None:
        """The broker has a publish, or all up to it."""

    def refused(self, tag: int, *, is_multiple: bool) -> None:
        """The broker would not keep a publish, or all up to it."""

    def hand_over(self) -> None:
        """A read is over, and deliveries arrived."""

    def say_settled(self) -> None:
        """A turn is over in which messages were settled."""

    def whole(self, large: LargeBody) -> None:
        """A large content is complete."""

    def cancelled(self, tag: str) -> None:
        """The broker has ended a consumer."""

    def lose(self, error: ClientError) -> None:
        """The connection is gone."""
        self._end(error)

    def ended(self, error: ClientError) -> None:
        """The channel is no more, whoever ended it; called once."""

    def _method(self, item: Any) -> None:
        method: Method = item[2]
        handle = self.METHODS.get(type(method))
        if handle is not None:
            handle(self, method)
        else:
            self.answered(method)

    def _close(self, method: Any) -> None:
        """The broker ends the channel because of what was asked."""
        self.send(ChannelCloseOk())
        if self.is_open:  # else both closed at once, and the answer to ours is still to come
            self.connection.forget(self)
            self.connection.counters.channels_closed += 1
            # Whoever asked is told; else nobody would know.
            level = logging.DEBUG if self._asked else logging.WARNING
            log.log(level, "%s: closed by the broker: %s %s", self, method.reply_code, method.reply_text)
            self._end(BrokerRefused(method.reply_text, code=method.reply_code))

    def _close_ok(self, _method: Method) -> None:
        self.connection.forget(self)

    def _flow(self, method: Any) -> None:
        self.send(ChannelFlowOk(method.active))

    def _cancel(self, method: Any) -> None:
        self.connection.counters.consumers_cancelled += 1
        self.cancelled(method.consumer_tag)

    def _failure(self, item: Any) -> None:
        """The broker broke the standard on this channel."""
        number, close = item[2].reply()
        self.connection.send(number, close)
        self._end(BrokerRefused(close.reply_text, code=close.reply_code))

    def _body_start(self, item: Any) -> None:
        self._large = LargeBody(item[2], item[3], item[4], self.max_body)

    def _body_piece(self, item: Any) -> None:
        if self._large is not None:
            self._large.add(item[2])

    def _body_end(self, _item: Any) -> None:
        large, self._large = self._large, None
        if large is not None:
            self.whole(large)

    def answered(self, answer: object) -> None:
        """The answer to the oldest question came."""
        if self._asked:
            future = self._asked.popleft()
            if not future.done():
                future.set_result(answer)

    def _end(self, error: ClientError) -> None:
        if not self.is_open:
            return
        self.is_open = False
        asked, self._asked = self._asked, deque()
        for future in asked:
            if not future.done():
                future.set_exception(error)
        self.ended(error)

    ITEMS: ClassVar[dict[Kind, Callable[[Any, Any], None]]] = {
        METHOD: _method,
        FAILURE: _failure,
        BODY_START: _body_start,
        BODY_PIECE: _body_piece,
        BODY_END: _body_end,
    }
    #: Methods that are no answers.
    METHODS: ClassVar[dict[type[Method], Callable[[Any, Any], None]]] = {
        ChannelClose: _close,
        ChannelCloseOk: _close_ok,
        ChannelFlow: _flow,
        BasicCancel: _cancel,
    }


def retrieve(future: asyncio.Future[Any]) -> None:
    """For futures whose failure nobody may be waiting for, and which others are told of."""
    if not future.cancelled():
        future.exception()
