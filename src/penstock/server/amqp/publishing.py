"""Publishing: one channel's messages on their way in, and the confirms on their way back.

The hot path of the server: all publishes of a read that follow each other go to the wiring in one call
for each route. Confirms leave in order, as few as possible: a publish that has to wait for the disk
holds back those after it, and one ack with `multiple` then tells of them all.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, cast

from penstock.errors import WiringError
from penstock.server.amqp.errors import ChannelFault, fault_of, precondition
from penstock.server.amqp.headers import with_entries
from penstock.server.amqp.inventory import answer
from penstock.server.amqp.message import AmqpMessage, LargeMessage
from penstock.server.amqp.terms import BCC, read_terms
from penstock.server.operations import Operation
from penstock.wire.amqp import PublishArgs
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.content import with_properties
from penstock.wire.amqp.methods import BasicAck, BasicNack, BasicReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.server.amqp.bodies import LargeBody
    from penstock.server.amqp.channel import Channel
    from penstock.wire.amqp import BasicProperties
    from penstock.wiring import Proxy, Published, Terms

__all__ = ["DEFINITIONS", "REJECT", "REPLY_TO", "TOPIC", "TOUCH", "Publishing"]

#: RabbitMQ's pseudo-queue: replies come straight back to the channel that asked.
REPLY_TO: Final = "amq.rabbitmq.reply-to"
#: The class of exchanges where routing keys are topics, with permissions of their own.
TOPIC: Final = "DEST-WILD"
#: Ours, after that example: what is published to it rejects a delivery of the same channel, with an error.
REJECT: Final = "amq.penstock.reject"
#: What is published to this one prolongs the lease of a delivery.
TOUCH: Final = "amq.penstock.touch"
#: And what is published to this one is answered with all that the virtual host has.
DEFINITIONS: Final = "amq.penstock.definitions"
#: Who has something in hand may say so, whatever else it may do.
IN_HAND: Final = (PublishArgs("", REJECT), PublishArgs("", TOUCH))


class Publishing:
    """What a channel publishes."""

    __slots__ = (
        "_channel",
        "_confirmed",
        "_known",
        "_known_at",
        "_refused",
        "_request",
        "_waiting",
        "confirms",
        "has_refused",
        "published",
        "sent",
    )

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        #: Whether the client wants to hear that its messages are safe.
        self.confirms = False
        #: The number of the last publish since then, and of the last one told to be safe.
        self.published = 0
        self._confirmed = 0
        #: (batch of the writer, publishes up to which wait for it), in order.
        self._waiting: deque[tuple[int, int]] = deque()
        #: Messages this channel has published, confirmed or not.
        self.sent = 0
        #: Publishes that were refused, and are told so in their turn.
        self._refused: list[int] = []
        #: The properties of the last request, the queue of the replies, and what the two came to: the next
        #: request mostly has the same.
        self._request: tuple[BasicProperties, str, BasicProperties, Terms] | None = None
        #: Exchanges this channel may write to, checked once while permissions stay as they are.
        self._known: dict[str, Proxy] = {}
        self._known_at = 0
        #: Whether a queue had no room for something, since somebody cared.
        self.has_refused = False

    def publish(self, items: list[tuple[int, int, PublishArgs, BasicProperties, bytes, int]]) -> None:
        """Take publishes that came one after the other.

        Raises:
            ChannelFault: one of them cannot be; those before it are on their way.
        """
        route: PublishArgs | None = None
        messages: list[AmqpMessage] = []
        try:
            for _, _, args, content, frames, _ in items:
                if args is not route:
                    if route is not None:
                        self._send(route, messages)
                        messages = []
                    self.check(args)
                    route = args
                terms: Terms | None = content.memo
                if terms is None:
                    content, frames, terms = self._read(content, frames)  # noqa: PLW2901 (what it became)
                messages.append(AmqpMessage(args, content, frames, terms))
        finally:
            if route is not None and messages:
                self._send(route, messages)

    def publish_large(self, item: tuple[int, int, PublishArgs, BasicProperties, bytes, LargeBody]) -> None:
        """Take a publish whose body is in a file; its frames are the header's.

        Raises:
            ChannelFault: it cannot be.
        """
        _, _, args, content, frames, large = item
        self.check(args)
        content, frames, terms = self._read(content, frames)
        self._send(args, [LargeMessage(args, content, frames, terms, large)])

    def refuse(self) -> None:
        """A publish came that could not be taken; the client hears of it in its turn."""
        self.published += 1
        self._refused.append(self.published)
        self._channel.session.will_confirm(self)

    def _send(self, route: PublishArgs, messages: Sequence[AmqpMessage]) -> None:
        channel = self._channel
        broker = channel.session.broker
        before = broker.unwritten
        try:
            published = channel.host.wiring.publish(route.exchange, messages, broker.now)
        except WiringError as error:
            raise fault_of(error) from error
        self.sent += len(messages)
        if published.unroutable or published.refused:
            self._report(route, messages, published)
        if not self.confirms:
            return
        self.published += len(messages)
        if broker.unwritten != before:
            batch = broker.after_write(self)
            self._waiting.append((batch, self.published))
        else:
            channel.session.will_confirm(self)

    def check(self, args: PublishArgs) -> None:
        """Refuse a route that cannot be, or that this user may not take.

        Raises:
            PenstockError: saying why.
        """
        if args.immediate:
            raise ChannelFault(ReplyCode.NOT_IMPLEMENTED, "immediate=true")
        if args in IN_HAND:
            return
        channel = self._channel
        guard = channel.session.guard
        if guard.version != self._known_at:
            self._known.clear()
            self._known_at = guard.version
        exchange = channel.host.wiring.proxies.get(args.exchange)
        if exchange is None or self._known.get(args.exchange) is not exchange:
            exchange = self._learn(args.exchange)
        if exchange.class_name == TOPIC:
            guard.check_topic("write", args.exchange, args.routing_key)

    def _learn(self, name: str) -> Proxy:
        channel = self._channel
        channel.check(Operation.PUBLISH, name)
        exchange = channel.exchange(name)
        if exchange.internal:
            detail = f"cannot publish to internal exchange {channel.spoken(name)}"
            raise ChannelFault(ReplyCode.ACCESS_REFUSED, detail)
        self._known[name] = exchange
        return exchange

    def _read(self, content: BasicProperties, frames: bytes) -> tuple[BasicProperties, bytes, Terms]:
        """The terms of properties seen for the first time, or that depend on who sent them."""
        came, request = content, self._request
        if request is not None and request[0] is content and request[1] == self._channel.reply_queue():
            return request[2], with_properties(frames, request[2]), request[3]
        if content.reply_to == REPLY_TO:
            content = content.replace(reply_to=self._channel.reply_queue())
        terms = read_terms(content)
        user = content.user_id
        if user is not None:
            self._check_user(user)
        if BCC in (content.headers or {}):
            content = with_entries(content, {BCC: b""})
        if content is not came:
            if user is None and came.reply_to == REPLY_TO:
                self._request = came, self._channel.reply_queue(), content, terms
            return content, with_properties(frames, content), terms
        if user is None:
            content.memo = terms
        return content, frames, terms

    def _check_user(self, user: str) -> None:
        session = self._channel.session
        users, own = session.front.access.realm.users, session.user_name
        if user != own and not (own in users and "impersonator" in users.get(own).tags):
            detail = f"user_id property set to '{user}' but authenticated user was '{own}'"
            raise precondition(detail)

    # What did not simply go in

    def _report(self, route: PublishArgs, messages: Sequence[AmqpMessage], published: Published) -> None:
        """Return what nobody asked for, before its confirm; refuse what did not fit."""
        channel = self._channel
        if published.refused:
            self.has_refused = True
        verb = None if route.exchange else VERBS.get(route.routing_key)
        if verb is not None:
            for message in published.unroutable:
                verb(channel, cast("AmqpMessage", message))
        elif route.mandatory:
            channel.session.front.counted.returned += len(published.unroutable)
            method = BasicReturn(ReplyCode.NO_ROUTE, "NO_ROUTE", route.exchange, route.routing_key)
            for message in published.unroutable:
                channel.session.send_content(channel.number, method, cast("AmqpMessage", message))
        else:
            channel.session.front.counted.dropped += len(published.unroutable)
        if self.confirms and published.refused:
            refused = set(map(id, published.refused))
            numbered = enumerate(messages, self.published + 1)
            self._refused += [number for number, message in numbered if id(message) in refused]

    # Confirms

    @property
    def confirmed(self) -> int:
        """How many publishes the client has heard of, those that were refused included."""
        return self._confirmed

    @property
    def unconfirmed(self) -> int:
        """How many publishes the client waits to hear of."""
        return self.published - self._confirmed if self.confirms else 0

    def written(self, batch: int) -> None:
        """The writer has written a batch: everything up to it is safe."""
        safe = 0
        while self._waiting and self._waiting[0][0] <= batch:
            safe = self._waiting.popleft()[1]
        self.confirm(safe if self._waiting else self.published)

    def confirm_all(self) -> None:
        """The turn ends: what needs no disk, and waits for nobody before it, is safe."""
        if not self._waiting:
            self.confirm(self.published)

    def confirm(self, up_to: int) -> None:
        """Tell the client that its publishes up to this number are safe, or refused."""
        while self._refused and self._refused[0] <= up_to:
            number = self._refused.pop(0)
            self._ack(number - 1)
            if self._channel.is_open:
                self._channel.send(BasicNack(number, requeue=False))
            self._confirmed = number
        self._ack(up_to)

    def _ack(self, up_to: int) -> None:
        if up_to > self._confirmed and self._channel.is_open:
            self._channel.send(BasicAck(up_to, multiple=up_to > self._confirmed + 1))
            self._confirmed = up_to


def _reject(channel: Channel, message: AmqpMessage) -> None:
    channel.settling.reject_with_error(message.properties)


def _touch(channel: Channel, message: AmqpMessage) -> None:
    channel.settling.touch(message.properties)


#: What is said by publishing to the default exchange, since AMQP has no method for it.
VERBS: Final[Mapping[str, Callable[[Channel, AmqpMessage], None]]] = {
    REJECT: _reject,
    TOUCH: _touch,
    DEFINITIONS: answer,
}
