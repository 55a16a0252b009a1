"""What should be at the broker: declared once, and again whenever it may have gone.

Keeps the things in the order they depend on one another, and the names the broker has made up. Knows the
methods that make and remove a thing; sends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.client.values import Binding, Exchange, Queue
from penstock.wire.amqp.methods import (
    ExchangeBind,
    ExchangeDeclare,
    ExchangeDelete,
    ExchangeUnbind,
    QueueBind,
    QueueDeclare,
    QueueDelete,
    QueueUnbind,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from penstock.client.values import Thing
    from penstock.wire.amqp.methods import Method

__all__ = ["Desired"]

#: A binding needs what it joins.
_ORDER: Final = {Exchange: 0, Queue: 1, Binding: 2}


class Desired:
    """The wiring a client wants to find."""

    def __init__(self) -> None:
        self._things: dict[Hashable, Thing] = {}
        #: The broker's names for queues that have none of their own, by the Queue's identity.
        self._names: dict[int, str] = {}

    def __repr__(self) -> str:
        return f"<Desired {len(self._things)} things>"

    def __contains__(self, thing: Thing) -> bool:
        return self._key(thing) in self._things

    def add(self, things: Iterable[Thing]) -> None:
        """From now on these should be there; another one of the same name takes its place."""
        for thing in things:
            self._things[self._key(thing)] = thing

    def discard(self, things: Iterable[Thing]) -> None:
        """They need not be there any more, nor bindings of what is gone."""
        for thing in things:
            self._things.pop(self._key(thing), None)
            if isinstance(thing, Binding):
                continue
            for binding in self._bindings():
                if self._joins(binding, thing):
                    self._things.pop(self._key(binding), None)
            if isinstance(thing, Queue):
                self._names.pop(id(thing), None)

    def all(self) -> list[Thing]:
        """Everything, exchanges first, then queues, then bindings."""
        return in_order(self._things.values())

    def around(self, queue: str | Queue) -> list[Thing]:
        """A queue, its bindings, and the exchanges they come from."""
        name = self.name_of(queue)
        bindings = [
            binding
            for binding in self._bindings()
            if not binding.to_exchange and self.name_of(binding.target) == name
        ]
        sources = {binding.source for binding in bindings}
        return [
            thing
            for thing in self.all()
            if (isinstance(thing, Exchange) and thing.name in sources)
            or (isinstance(thing, Queue) and self.name_of(thing) == name)
            or any(thing is binding for binding in bindings)
        ]

    def is_exclusive(self, queue: str | Queue) -> bool:
        """Whether only the connection that declared the queue may use it."""
        name = self.name_of(queue)
        return any(
            thing.exclusive and self.name_of(thing) == name
            for thing in self._things.values()
            if isinstance(thing, Queue)
        )

    def name_of(self, queue: str | Queue) -> str:
        """What the broker calls a queue; empty if it has not been asked yet."""
        if isinstance(queue, str):
            return queue
        return queue.name or self._names.get(id(queue), "")

    def named(self, queue: Queue, name: str) -> None:
        """The broker has made a name."""
        self._names[id(queue)] = name

    # Methods

    def making(self, thing: Thing) -> Method:
        """What declares it."""
        return _MAKERS[type(thing)](self, thing)

    def removing(self, thing: Thing) -> Method:
        """What takes it away."""
        return _REMOVERS[type(thing)](self, thing)

    def _key(self, thing: Thing) -> Hashable:
        match thing:
            case Exchange():
                return "exchange", thing.name
            case Queue():
                return "queue", thing.name or id(thing)
            case Binding():
                target = (
                    thing.target if isinstance(thing.target, str) else thing.target.name or id(thing.target)
                )
                arguments = repr(sorted(thing.arguments.items(), key=lambda entry: entry[0]))
                return "binding", thing.source, target, thing.to_exchange, thing.routing_key, arguments

    def _bindings(self) -> list[Binding]:
        return [thing for thing in self._things.values() if isinstance(thing, Binding)]

    def _joins(self, binding: Binding, thing: Exchange | Queue) -> bool:
        if isinstance(thing, Queue):
            return not binding.to_exchange and (
                binding.target is thing or self.name_of(binding.target) == self.name_of(thing) != ""
            )
        return binding.source == thing.name or (binding.to_exchange and binding.target == thing.name)


def in_order(things: Iterable[Thing]) -> list[Thing]:
    """Exchanges, queues, bindings; within a kind as they come."""
    return sorted(things, key=lambda thing: _ORDER[type(thing)])


def _declare_exchange(_desired: Desired, exchange: Exchange) -> Method:
    return ExchangeDeclare(
        exchange.name,
        exchange.type,
        durable=exchange.durable,
        auto_delete=exchange.auto_delete,
        internal=exchange.internal,
        arguments=exchange.arguments,
    )


def _declare_queue(_desired: Desired, queue: Queue) -> Method:
    return QueueDeclare(
        queue.name,
        durable=queue.durable,
        exclusive=queue.exclusive,
        auto_delete=queue.auto_delete,
        arguments=queue.arguments,
    )


def _bind(desired: Desired, binding: Binding) -> Method:
    target = desired.name_of(binding.target)
    make = ExchangeBind if binding.to_exchange else QueueBind
    return make(target, binding.source, binding.routing_key, arguments=binding.arguments)


def _unbind(desired: Desired, binding: Binding) -> Method:
    target = desired.name_of(binding.target)
    make = ExchangeUnbind if binding.to_exchange else QueueUnbind
    return make(target, binding.source, binding.routing_key, arguments=binding.arguments)


_MAKERS: Final[dict[type, Callable[[Desired, Any], Method]]] = {
    Exchange: _declare_exchange,
    Queue: _declare_queue,
    Binding: _bind,
}
_REMOVERS: Final[dict[type, Callable[[Desired, Any], Method]]] = {
    Exchange: lambda _desired, exchange: ExchangeDelete(exchange.name),
    Queue: lambda desired, queue: QueueDelete(desired.name_of(queue)),
    Binding: _unbind,
}
