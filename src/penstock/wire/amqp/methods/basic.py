"""The basic class: publish, deliver, get and settle, with RabbitMQ's nack.

Declarations only: `base.py` says how they are read.
"""

from dataclasses import field
from typing import ClassVar

from penstock.wire.amqp.fields import Arguments, Bit, Long, LongLong, LooseStr, Short, ShortStr
from penstock.wire.amqp.methods.base import BOTH, CLIENT, SERVER, Method, method

__all__ = [
    "BasicAck",
    "BasicCancel",
    "BasicCancelOk",
    "BasicConsume",
    "BasicConsumeOk",
    "BasicDeliver",
    "BasicGet",
    "BasicGetEmpty",
    "BasicGetOk",
    "BasicNack",
    "BasicPublish",
    "BasicQos",
    "BasicQosOk",
    "BasicRecover",
    "BasicRecoverAsync",
    "BasicRecoverOk",
    "BasicReject",
    "BasicReturn",
]


@method(60, 10, "basic.qos", SERVER)
class BasicQos(Method):
    """How much may be in hand unacknowledged."""

    prefetch_size: Long = 0
    prefetch_count: Short = 0
    is_global: Bit = False


@method(60, 11, "basic.qos-ok", CLIENT)
class BasicQosOk(Method):
    """Agreed."""


@method(60, 20, "basic.consume", SERVER)
class BasicConsume(Method):
    """Starts a consumer on a queue; no tag asks for a fresh one."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr = ""
    consumer_tag: ShortStr = ""
    no_local: Bit = False
    no_ack: Bit = False
    exclusive: Bit = False
    nowait: Bit = False
    arguments: Arguments = field(default_factory=dict)


@method(60, 21, "basic.consume-ok", CLIENT)
class BasicConsumeOk(Method):
    """Started, under this tag."""

    consumer_tag: ShortStr


@method(60, 30, "basic.cancel", BOTH)
class BasicCancel(Method):
    """Ends a consumer; from the server, tells that it ended (RabbitMQ)."""

    consumer_tag: ShortStr
    nowait: Bit = False


@method(60, 31, "basic.cancel-ok", BOTH)
class BasicCancelOk(Method):
    """Ended."""

    consumer_tag: ShortStr


@method(60, 40, "basic.publish", SERVER, has_content=True)
class BasicPublish(Method):
    """A message for an exchange."""

    ticket: ClassVar[Short] = 0
    exchange: LooseStr = ""
    routing_key: LooseStr = ""
    mandatory: Bit = False
    immediate: Bit = False


@method(60, 50, "basic.return", CLIENT, has_content=True)
class BasicReturn(Method):
    """A message that could not be routed, back to its publisher."""

    reply_code: Short
    reply_text: LooseStr
    exchange: LooseStr
    routing_key: LooseStr


@method(60, 60, "basic.deliver", CLIENT, has_content=True)
class BasicDeliver(Method):
    """A message for a consumer."""

    consumer_tag: LooseStr
    delivery_tag: LongLong
    redelivered: Bit
    exchange: LooseStr
    routing_key: LooseStr


@method(60, 70, "basic.get", SERVER)
class BasicGet(Method):
    """Asks a queue for one message."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr = ""
    no_ack: Bit = False


@method(60, 71, "basic.get-ok", CLIENT, has_content=True)
class BasicGetOk(Method):
    """Here it is, and how many are left."""

    delivery_tag: LongLong
    redelivered: Bit
    exchange: LooseStr
    routing_key: LooseStr
    message_count: Long


@method(60, 72, "basic.get-empty", CLIENT)
class BasicGetEmpty(Method):
    """There is none."""

    cluster_id: ClassVar[ShortStr] = ""


@method(60, 80, "basic.ack", BOTH)
class BasicAck(Method):
    """Done with; from the server, the publish is confirmed (RabbitMQ)."""

    delivery_tag: LongLong = 0
    multiple: Bit = False


@method(60, 90, "basic.reject", SERVER)
class BasicReject(Method):
    """Not wanted: back to the queue, or away."""

    delivery_tag: LongLong
    requeue: Bit = True


@method(60, 100, "basic.recover-async", SERVER)
class BasicRecoverAsync(Method):
    """As recover, without an answer; deprecated."""

    requeue: Bit = False


@method(60, 110, "basic.recover", SERVER)
class BasicRecover(Method):
    """Everything in hand goes back to its queue."""

    requeue: Bit = False


@method(60, 111, "basic.recover-ok", CLIENT)
class BasicRecoverOk(Method):
    """It did."""


@method(60, 120, "basic.nack", BOTH)
class BasicNack(Method):
    """Reject for one or many; from the server, the publish failed (RabbitMQ)."""

    delivery_tag: LongLong = 0
    multiple: Bit = False
    requeue: Bit = True
