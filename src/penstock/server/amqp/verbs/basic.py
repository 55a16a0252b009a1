"""basic.*, as far as it is not on the hot path: windows, consumers, get, recover."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from penstock.errors import Locked
from penstock.server.amqp.arguments import priority_of
from penstock.server.amqp.counting import counted
from penstock.server.amqp.declared import counts_deliveries
from penstock.server.amqp.errors import ChannelFault, precondition
from penstock.server.amqp.publishing import REPLY_TO
from penstock.server.amqp.verbs.table import verb
from penstock.server.operations import Operation
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import (
    BasicCancel,
    BasicCancelOk,
    BasicConsume,
    BasicConsumeOk,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicQos,
    BasicQosOk,
    BasicRecover,
    BasicRecoverAsync,
    BasicRecoverOk,
)

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.message import AmqpMessage
    from penstock.wiring import Queue

__all__ = ["cancel", "consume", "get", "qos", "recover"]


@verb(BasicQos)
def qos(channel: Channel, method: BasicQos) -> BasicQosOk:
    """Set the window: of each consumer to come, or of the whole channel."""
    if method.prefetch_size:
        detail = f"prefetch_size!=0 ({method.prefetch_size})"
        raise ChannelFault(ReplyCode.NOT_IMPLEMENTED, detail)
    if method.is_global:
        channel.ledger.prefetch = method.prefetch_count
        channel.ledger.wake()
    else:
        channel.prefetch = method.prefetch_count
    return BasicQosOk()


@verb(BasicConsume)
def consume(channel: Channel, method: BasicConsume) -> BasicConsumeOk:
    """Start a consumer; no tag asks for a fresh one."""
    name = channel.named(method.queue)
    tag = method.consumer_tag or f"amq.ctag-{channel.session.broker.token()}"
    if tag in channel.ledger.consumers:
        raise ChannelFault(ReplyCode.NOT_ALLOWED, f"attempt to reuse consumer tag '{tag}'")
    if name == REPLY_TO:
        if not method.no_ack:
            raise precondition("reply consumer cannot acknowledge")
        channel.consume_replies(tag)
    else:
        channel.check(Operation.CONSUME, name)
        _consume(channel, channel.queue(name), tag, method)
    return BasicConsumeOk(tag)


def _consume(channel: Channel, queue: Queue, tag: str, method: BasicConsume) -> None:
    spoken = channel.spoken(queue.name)
    priority = priority_of(method.arguments, owner=f"queue {spoken}")
    in_use = ChannelFault(ReplyCode.ACCESS_REFUSED, f"queue {spoken} in exclusive use")
    if method.exclusive and queue.template.single_active:
        # One at a time is not one alone: RabbitMQ refuses to mix them.
        raise in_use
    try:
        channel.consume(
            queue,
            tag,
            acks=not method.no_ack,
            prefetch=channel.prefetch,
            priority=priority,
            exclusive=method.exclusive,
        )
    except Locked:
        raise in_use from None


@verb(BasicCancel)
def cancel(channel: Channel, method: BasicCancel) -> BasicCancelOk:
    """End a consumer."""
    channel.cancel(method.consumer_tag)
    return BasicCancelOk(method.consumer_tag)


@verb(BasicCancelOk)
def cancel_heard(channel: Channel, method: BasicCancelOk) -> None:
    """The client has heard that its consumer ended."""


@verb(BasicGet)
def get(channel: Channel, method: BasicGet) -> BasicGetEmpty | None:
    """One message, if there is one."""
    name = channel.named(method.queue)
    channel.check(Operation.GET, name)
    queue = channel.queue(name)
    got = queue.get(channel.ledger, channel.session.broker.now, acks=not method.no_ack)
    if got is None:
        return BasicGetEmpty()
    reference = got.references[0]
    if counts_deliveries(queue):
        reference = counted(reference)
    message = cast("AmqpMessage", reference.message)
    route = message.route
    answer = BasicGetOk(got.first_tag, reference.acquired > 1, route.exchange, route.routing_key, queue.ready)

    def lost() -> None:
        if not method.no_ack:
            channel.ledger.ack(got.first_tag)
        channel.send(BasicGetEmpty())

    channel.session.send_content(channel.number, answer, message, lost)
    return None


@verb(BasicRecover)
def recover(channel: Channel, method: BasicRecover) -> BasicRecoverOk:
    """Everything in hand goes back to its queue."""
    recover_async(channel, method)
    return BasicRecoverOk()


@verb(BasicRecoverAsync)
def recover_async(channel: Channel, method: BasicRecover | BasicRecoverAsync) -> None:
    """As recover, without an answer."""
    if not method.requeue:
        raise ChannelFault(ReplyCode.NOT_IMPLEMENTED, "requeue=false")
    channel.ledger.return_all(channel.session.broker.now, failed=False)
    channel.ledger.wake()
