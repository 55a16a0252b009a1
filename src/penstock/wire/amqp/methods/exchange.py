"""The exchange class, with RabbitMQ's bindings from exchange to exchange.

Declarations only: `base.py` says how they are read.
"""

from dataclasses import field
from typing import ClassVar

from penstock.wire.amqp.fields import Arguments, Bit, Short, ShortStr
from penstock.wire.amqp.methods.base import CLIENT, SERVER, Method, method

__all__ = [
    "ExchangeBind",
    "ExchangeBindOk",
    "ExchangeDeclare",
    "ExchangeDeclareOk",
    "ExchangeDelete",
    "ExchangeDeleteOk",
    "ExchangeUnbind",
    "ExchangeUnbindOk",
]


@method(40, 10, "exchange.declare", SERVER)
class ExchangeDeclare(Method):
    """Makes an exchange, or checks that it is there and alike."""

    ticket: ClassVar[Short] = 0
    exchange: ShortStr
    type: ShortStr = "direct"
    passive: Bit = False
    durable: Bit = False
    auto_delete: Bit = False
    internal: Bit = False
    nowait: Bit = False
    arguments: Arguments = field(default_factory=dict)


@method(40, 11, "exchange.declare-ok", CLIENT)
class ExchangeDeclareOk(Method):
    """It is."""


@method(40, 20, "exchange.delete", SERVER)
class ExchangeDelete(Method):
    """Removes an exchange and its bindings."""

    ticket: ClassVar[Short] = 0
    exchange: ShortStr
    if_unused: Bit = False
    nowait: Bit = False


@method(40, 21, "exchange.delete-ok", CLIENT)
class ExchangeDeleteOk(Method):
    """Gone."""


@method(40, 30, "exchange.bind", SERVER)
class ExchangeBind(Method):
    """Lets messages of one exchange flow to another (RabbitMQ)."""

    ticket: ClassVar[Short] = 0
    destination: ShortStr
    source: ShortStr
    routing_key: ShortStr = ""
    nowait: Bit = False
    arguments: Arguments = field(default_factory=dict)


@method(40, 31, "exchange.bind-ok", CLIENT)
class ExchangeBindOk(Method):
    """Bound."""


@method(40, 40, "exchange.unbind", SERVER)
class ExchangeUnbind(Method):
    """Ends such a binding (RabbitMQ)."""

    ticket: ClassVar[Short] = 0
    destination: ShortStr
    source: ShortStr
    routing_key: ShortStr = ""
    nowait: Bit = False
    arguments: Arguments = field(default_factory=dict)


@method(40, 51, "exchange.unbind-ok", CLIENT)
class ExchangeUnbindOk(Method):
    """Unbound. Its id is 51, out of step, in the standard's errata too."""
