"""Channel: one conversation of a session: its ledger, its consumers, its publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import Locked, UnknownQueue
from penstock.server.amqp.counting import CountingSubscription
from penstock.server.amqp.declared import counts_deliveries
from penstock.server.amqp.errors import ChannelFault, precondition
from penstock.server.amqp.publishing import REPLY_TO, TOPIC, Publishing
from penstock.server.amqp.settling import Settling
from penstock.server.amqp.subscription import Subscription
from penstock.wire.amqp import method_frame
from penstock.wire.amqp.constants import ReplyCode

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.server.amqp.session import AmqpSession
    from penstock.server.amqp.transaction import Transaction
    from penstock.server.operations import Operation
    from penstock.wire.amqp.methods import Method
    from penstock.wiring import Consumer, Proxy, Queue

__all__ = ["Channel"]


class Channel:
    """An open channel."""

    __slots__ = (
        "_reply_consumer",
        "host",
        "is_open",
        "last_queue",
        "ledger",
        "number",
        "prefetch",
        "publishing",
        "session",
        "settling",
        "transaction",
    )

    def __init__(self, session: AmqpSession, number: int) -> None:
        self.session = session
        self.number = number
        self.host: VirtualHost = session.host
        self.ledger = session.connection.open_ledger()
        self.publishing = Publishing(self)
        self.settling = Settling(self)
        self.transaction: Transaction | None = None
        #: For consumers to come; a window for all of them together is the ledger's.
        self.prefetch = 0
        #: The name of the queue declared last, which an empty name stands for.
        self.last_queue = ""
        self.is_open = True
        self._reply_consumer: Consumer | None = None

    def __repr__(self) -> str:
        return f"<Channel {self.number} of {self.session!r}, {len(self.ledger.unsettled)} unsettled>"

    def send(self, method: Method) -> None:
        """A method for the client."""
        self.session.out.append(method_frame(self.number, method))
        self.session.will_flush()

    def close(self) -> None:
        """Everything of this channel goes: consumers, and what is in hand back to its queues."""
        self.is_open = False
        self.host.wiring.close(self.ledger, self.session.broker.now)
        self.host.clear_away()

    # Names, and who may

    def check(self, operation: Operation, name: str, other: str = "") -> None:
        """Let pass who may do that there.

        Raises:
            NotPermitted: 403, this user may not.
        """
        self.session.guard.check(operation, name, other)

    def check_topic(self, action: str, exchange: Proxy, key: str) -> None:
        """Let pass who may use a routing key, where routing keys are topics.

        Raises:
            NotPermitted: 403, this user may not.
        """
        if exchange.class_name == TOPIC:
            self.session.guard.check_topic(action, exchange.name, key)

    def named(self, name: str) -> str:
        """A queue's name; none is that of the queue declared last.

        Raises:
            ChannelFault: 404, there was none.
        """
        if not name and not self.last_queue:
            raise ChannelFault(ReplyCode.NOT_FOUND, "no previously declared queue")
        return name or self.last_queue

    def queue(self, name: str) -> Queue:
        """The queue of that name, as it is after all that was said before.

        Raises:
            ChannelFault: 404 or 405, there is none, or it is another connection's own.
        """
        self.session.broker.settle(self.host)
        try:
            return self.host.wiring.queue(name, connection=self.session.connection)
        except UnknownQueue:
            raise self.no_queue(name) from None
        except Locked:
            raise self.locked(name) from None

    def exchange(self, name: str) -> Proxy:
        """The exchange of that name.

        Raises:
            ChannelFault: 404, there is none.
        """
        exchange = self.host.wiring.proxies.get(name)
        if exchange is None:
            raise ChannelFault(ReplyCode.NOT_FOUND, f"no exchange {self.spoken(name)}")
        return exchange

    def spoken(self, name: str) -> str:
        """A name as RabbitMQ tells it."""
        return f"'{name}' in vhost '{self.host.name}'"

    def no_queue(self, name: str) -> ChannelFault:
        """There is no such queue."""
        return ChannelFault(ReplyCode.NOT_FOUND, f"no queue {self.spoken(name)}")

    def locked(self, name: str) -> ChannelFault:
        """Another connection has that queue for itself, or nobody has one that somebody wants so."""
        return ChannelFault(
            ReplyCode.RESOURCE_LOCKED,
            f"cannot obtain exclusive access to locked queue {self.spoken(name)}. It could be originally "
            "declared on another connection or the exclusive property value does not match that of the "
            "original declaration.",
        )

    # Consumers

    def consume(self, queue: Queue, tag: str, **how: Any) -> Subscription:
        """Start a consumer."""
        kind = CountingSubscription if counts_deliveries(queue) else Subscription
        subscription = kind(self, tag)
        now = self.session.broker.now
        self.host.wiring.consume(self.ledger, queue, tag, now=now, remarks=subscription, **how)
        return subscription

    def cancel(self, tag: str) -> None:
        """End a consumer; one that is not there is no mistake."""
        consumer = self.ledger.consumers.get(tag)
        if consumer is not None:
            self.host.wiring.cancel(consumer, self.session.broker.now)
            self.host.clear_away()

    # Direct reply-to

    def consume_replies(self, tag: str) -> None:
        """Start the consumer of this channel's replies, on a queue nobody else sees."""
        if self._replies() is not None:
            raise precondition("reply consumer already set")
        name = f"{REPLY_TO}.{self.session.broker.token()}"
        queue = self.host.create_queue(
            name, private_to=self.session.connection, now=self.session.broker.now, dynamic=True
        )
        self.consume(queue, tag, acks=False)
        self._reply_consumer = self.ledger.consumers[tag]

    def reply_queue(self) -> str:
        """The name under which replies reach this channel."""
        consumer = self._replies()
        if consumer is None:
            raise precondition("fast reply consumer does not exist")
        return consumer.queue.name

    def _replies(self) -> Consumer | None:
        consumer = self._reply_consumer
        return None if consumer is None or consumer.cancelled else consumer
