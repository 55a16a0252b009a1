"""The queue class.

Declarations only: `base.py` says how they are read.
"""

from dataclasses import field
from typing import ClassVar

from penstock.wire.amqp.fields import Arguments, Bit, Long, Short, ShortStr
from penstock.wire.amqp.methods.base import CLIENT, SERVER, Method, method

__all__ = [
    "QueueBind",
    "QueueBindOk",
    "QueueDeclare",
    "QueueDeclareOk",
    "QueueDelete",
    "QueueDeleteOk",
    "QueuePurge",
    "QueuePurgeOk",
    "QueueUnbind",
    "QueueUnbindOk",
]


@method(50, 10, "queue.declare", SERVER)
class QueueDeclare(Method):
    """Makes a queue, or checks that it is there and alike; no name asks for a fresh one."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr = ""
    passive: Bit = False
    durable: Bit = False
    exclusive: Bit = False
    auto_delete: Bit = False
    nowait: Bit = False
    arguments: Arguments = field(default_factory=dict)


@method(50, 11, "queue.declare-ok", CLIENT)
class QueueDeclareOk(Method):
    """Its name, and what is in and at it."""

    queue: ShortStr
    message_count: Long
    consumer_count: Long


@method(50, 20, "queue.bind", SERVER)
class QueueBind(Method):
    """Lets messages of an exchange flow to a queue."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr
    exchange: ShortStr
    routing_key: ShortStr = ""
    nowait: Bit = False
    arguments: Arguments = field(default_factory=dict)


@method(50, 21, "queue.bind-ok", CLIENT)
class QueueBindOk(Method):
    """Bound."""


@method(50, 30, "queue.purge", SERVER)
class QueuePurge(Method):
    """Drops every message that waits."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr = ""
    nowait: Bit = False


@method(50, 31, "queue.purge-ok", CLIENT)
class QueuePurgeOk(Method):
    """How many there were."""

    message_count: Long


@method(50, 40, "queue.delete", SERVER)
class QueueDelete(Method):
    """Removes a queue."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr = ""
    if_unused: Bit = False
    if_empty: Bit = False
    nowait: Bit = False


@method(50, 41, "queue.delete-ok", CLIENT)
class QueueDeleteOk(Method):
    """How many messages went with it."""

    message_count: Long


@method(50, 50, "queue.unbind", SERVER)
class QueueUnbind(Method):
    """Ends a binding."""

    ticket: ClassVar[Short] = 0
    queue: ShortStr
    exchange: ShortStr
    routing_key: ShortStr = ""
    arguments: Arguments = field(default_factory=dict)


@method(50, 51, "queue.unbind-ok", CLIENT)
class QueueUnbindOk(Method):
    """Unbound."""
