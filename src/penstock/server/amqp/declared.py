"""How a queue or exchange was declared, kept with it: a declaration again must be the same.

Compared as RabbitMQ compares, and told in its words (rabbit_misc.erl), since clients show them to people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.server.amqp.arguments import QUEUE_ARGUMENTS, is_quorum
from penstock.server.amqp.errors import precondition
from penstock.server.amqp.exchange_types import TYPE_OF_CLASS
from penstock.server.amqp.wording import type_name
from penstock.wire.amqp.table import decode_table, encode_table
from penstock.wiring.properties import typed

if TYPE_CHECKING:
    from penstock.wire.amqp.methods import ExchangeDeclare, QueueDeclare
    from penstock.wire.amqp.table import Table
    from penstock.wiring import Proxy, Queue

__all__ = ["BY_USE", "ExchangeDeclared", "QueueDeclared", "counts_deliveries"]

#: Exchange arguments that must be the same again.
EXCHANGE_ARGUMENTS: Final = ("alternate-exchange", "x-delayed-type", "x-drop", "x-seed")
#: The remark of a queue that nobody has declared: a beanstalk client uses or watches it.
BY_USE: Final = "tube"
#: A queue without a type is one of the first kind RabbitMQ had.
SAME_AS_NONE: Final = {"x-queue-type": "classic"}


def _bare(value: Any) -> str:
    return f"'{str(value).lower() if isinstance(value, bool) else value}'"


def _full(value: Any) -> str:
    return "none" if value is None else f"the value {_bare(value)} of type '{type_name(value)}'"


def _demand_equal(name: str, owner: str, current: Any, received: Any) -> None:
    usual = SAME_AS_NONE.get(name)
    now, wanted = (usual if value is None else value for value in (current, received))
    if typed(now) == typed(wanted):
        return
    told = _full if current is None or received is None else _bare
    difference = f"received {told(received)} but current is {told(current)}"
    raise precondition(f"inequivalent arg '{name}' for {owner}: {difference}")


@dataclass(frozen=True, slots=True)
class QueueDeclared:
    """A queue's declaration; whose it is, if it is exclusive, the queue itself knows."""

    durable: bool
    exclusive: bool
    auto_delete: bool
    arguments: bytes

    @classmethod
    def of(cls, method: QueueDeclare) -> QueueDeclared:
        """What a method declares: what is one connection's own is never durable."""
        durable = method.durable and not method.exclusive
        return cls(durable, method.exclusive, method.auto_delete, encode_table(method.arguments))

    @classmethod
    def read(cls, queue: Queue) -> QueueDeclared:
        """How a queue was declared; one that AMQP did not make looks durable or not as it is."""
        remarks = queue.template.remarks
        if isinstance(remarks, bytes) and remarks:
            return _read_queue(remarks)
        template = queue.template
        return cls(template.persistent, queue.owner is not None, template.dynamic, encode_table({}))

    def encoded(self) -> bytes:
        """For the queue to keep."""
        return msgspec.msgpack.encode(self)

    def table(self) -> Table:
        """The arguments."""
        return decode_table(self.arguments)[0]

    def demand_same(self, queue: Queue, spoken: str) -> None:
        """Refuse to be other than the queue that is there.

        Raises:
            ChannelFault: 406, naming the first difference.
        """
        current = QueueDeclared.read(queue)
        owner = f"queue {spoken}"
        for name in ("durable", "auto_delete"):
            _demand_equal(name, owner, getattr(current, name), getattr(self, name))
        there, wanted = current.table(), self.table()
        for name in QUEUE_ARGUMENTS:
            _demand_equal(name, owner, there.get(name), wanted.get(name))


@lru_cache(maxsize=1024)
def _read_queue(remarks: bytes) -> QueueDeclared:
    return msgspec.msgpack.decode(remarks, type=QueueDeclared)


def counts_deliveries(queue: Queue) -> bool:
    """Whether a message that comes again says how often it came: as RabbitMQ's quorum queues do."""
    return queue.template.delivery_limit is not None or is_quorum(QueueDeclared.read(queue).table())


@dataclass(frozen=True, slots=True)
class ExchangeDeclared:
    """An exchange's declaration."""

    type: str
    durable: bool
    auto_delete: bool
    internal: bool
    arguments: bytes

    @classmethod
    def of(cls, method: ExchangeDeclare) -> ExchangeDeclared:
        """What a method declares."""
        arguments = encode_table(method.arguments)
        return cls(method.type, method.durable, method.auto_delete, method.internal, arguments)

    @classmethod
    def read(cls, proxy: Proxy) -> ExchangeDeclared:
        """How an exchange was declared; one that was there from the start, or not by AMQP, is as it is."""
        if proxy.remarks:
            return _read_exchange(proxy.remarks)
        arguments: Table = {} if proxy.alternate is None else {"alternate-exchange": proxy.alternate}
        name = TYPE_OF_CLASS.get(proxy.class_name, proxy.class_name)
        return cls(name, proxy.persistent, proxy.dynamic, proxy.internal, encode_table(arguments))

    def encoded(self) -> bytes:
        """For the exchange to keep."""
        return msgspec.msgpack.encode(self)

    def demand_same(self, proxy: Proxy, spoken: str) -> None:
        """Refuse to be other than the exchange that is there.

        Raises:
            ChannelFault: 406, naming the first difference.
        """
        current = ExchangeDeclared.read(proxy)
        owner = f"exchange {spoken}"
        for name in ("type", "durable", "auto_delete", "internal"):
            _demand_equal(name, owner, getattr(current, name), getattr(self, name))
        there, wanted = decode_table(current.arguments)[0], decode_table(self.arguments)[0]
        for name in EXCHANGE_ARGUMENTS:
            _demand_equal(name, owner, there.get(name), wanted.get(name))


@lru_cache(maxsize=1024)
def _read_exchange(remarks: bytes) -> ExchangeDeclared:
    return msgspec.msgpack.decode(remarks, type=ExchangeDeclared)
