"""The way from what a broker has to what an application wants, step by step. Pure.

Nothing that holds messages is taken away, and nothing that is not the application's own: its names are
those it declares and those that begin with its namespace. What cannot be changed in place is told as a
conflict, with the arguments that differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.topology.live import is_built_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from penstock.messaging.topology.live import Live, LiveQueue
    from penstock.messaging.topology.model import Topology

__all__ = ["Action", "Plan", "Step", "differences", "make_plan"]

#: What is the same as if nothing was said (RabbitMQ, and Penstock).
SAME_AS_NONE: Final = {"x-queue-type": "classic"}
#: Of the ladder that delayed messages wait on, which all applications of a virtual host share.
SHARED: Final = "penstock.delay"


class Action(Enum):
    """What is to be done about a thing, by the sign that stands before it."""

    CREATE = "+"
    DELETE = "-"
    RECREATE = "±"
    #: It is there, but not like that: nothing can be done without losing something.
    CONFLICT = "!"
    #: Nothing is done about it, but somebody should know.
    LEAVE = "?"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing, and what is to be done about it."""

    action: Action
    thing: Exchange | Queue | Binding
    why: str = ""

    def __str__(self) -> str:
        told = f"{self.action.value} {shown(self.thing)}"
        return f"{told}: {self.why}" if self.why else told


@dataclass(frozen=True, slots=True)
class Plan:
    """All steps, in the order they are to be taken."""

    steps: tuple[Step, ...] = ()
    #: What of the broker could not be seen.
    unseen: str = ""

    def of(self, *actions: Action) -> list[Step]:
        """The steps that do one of these."""
        return [step for step in self.steps if step.action in actions]

    @property
    def changes(self) -> list[Step]:
        """What would be done to the broker."""
        return self.of(Action.CREATE, Action.DELETE, Action.RECREATE)

    @property
    def conflicts(self) -> list[Step]:
        """What keeps anything from being done."""
        return self.of(Action.CONFLICT)

    @property
    def is_in_sync(self) -> bool:
        """Whether the broker has what is wanted; it may have more."""
        return not self.changes and not self.conflicts


def make_plan(wanted: Topology, live: Live, *, namespace: str = "", recreate: bool = False) -> Plan:
    """The way from a live broker to a topology.

    Args:
        wanted: What the application declares.
        live: What the broker has.
        namespace: The application's name; what begins with it and a dot is its own.
        recreate: Whether queues that nobody uses and nothing is in may be made anew to be as wanted.
    """
    steps = [
        *_exchanges(wanted.exchanges, live),
        *_queues(wanted.queues, live, recreate=recreate),
        *_bindings(wanted, live),
        *_undeclared(wanted, live, namespace),
    ]
    return Plan(tuple(steps), live.unseen)


def _exchanges(wanted: Iterable[Exchange], live: Live) -> Iterator[Step]:
    if live.exchanges is None:
        return
    for exchange in wanted:
        found = live.exchanges.get(exchange.name)
        if is_built_in(exchange.name):
            continue
        if found is None:
            yield Step(Action.CREATE, exchange)
        elif how := differences(found, exchange):
            why = f"{'; '.join(how)}. Delete it when nobody publishes to it, and apply again"
            yield Step(Action.CONFLICT, exchange, why)


def _queues(wanted: Iterable[Queue], live: Live, *, recreate: bool) -> Iterator[Step]:
    for queue in wanted:
        found = live.queues.get(queue.name)
        if found is None:
            yield Step(Action.CREATE, queue)
        elif found.declared is not None and (how := differences(found.declared, queue)):
            yield _unlike(queue, found, "; ".join(how), recreate=recreate)


def _unlike(queue: Queue, found: LiveQueue, how: str, *, recreate: bool) -> Step:
    """A queue that is there with other arguments, which it keeps as long as it lives."""
    if found.messages or found.consumers:
        held = _held(found)
        why = f"{how}. It has {held}: stop its consumers, empty it, and apply again with --recreate"
        return Step(Action.CONFLICT, queue, why)
    if recreate:
        return Step(Action.RECREATE, queue, how)
    return Step(Action.CONFLICT, queue, f"{how}. It is empty: --recreate makes it anew")


def _bindings(wanted: Topology, live: Live) -> Iterator[Step]:
    if live.bindings is None:
        return
    for binding in wanted.bindings:
        if binding not in live.bindings:
            yield Step(Action.CREATE, binding)
    exchanges = {exchange.name for exchange in wanted.exchanges}
    queues = {queue.name for queue in wanted.queues}
    for binding in live.bindings:
        if binding in wanted.bindings or binding.target not in (exchanges if binding.to_exchange else queues):
            continue
        if binding.source in exchanges:
            yield Step(Action.DELETE, binding, "nothing declares it")
        elif not binding.source.startswith(SHARED):
            yield Step(Action.LEAVE, binding, "nothing declares it, and its exchange is somebody else's")


def _undeclared(wanted: Topology, live: Live, namespace: str) -> Iterator[Step]:
    """What has the application's name and is declared by nothing: left by an earlier version of it."""
    if not namespace:
        return
    queues = {queue.name for queue in wanted.queues}
    for name, found in live.queues.items():
        if name not in queues and _is_own(name, namespace):
            queue = found.declared or Queue(name)
            if found.messages or found.consumers:
                why = f"nothing declares it, and it has {_held(found)}: left alone"
                yield Step(Action.LEAVE, queue, why)
            else:
                yield Step(Action.DELETE, queue, "nothing declares it, and it is empty")
    exchanges = {exchange.name for exchange in wanted.exchanges}
    for name, exchange in (live.exchanges or {}).items():
        if name not in exchanges and _is_own(name, namespace):
            yield Step(Action.LEAVE, exchange, "nothing declares it: left alone")


def _is_own(name: str, namespace: str) -> bool:
    return name.startswith(f"{namespace}.") and not name.startswith(SHARED)


# What is different, and how things are shown


def differences(there: Exchange | Queue, wanted: Exchange | Queue) -> list[str]:
    """Where a thing that is there is not as wanted, in words."""
    names = [name for name in ("type", "durable", "auto_delete", "internal") if hasattr(wanted, name)]
    pairs: list[tuple[str, Any, Any]] = [
        (name, getattr(there, name), getattr(wanted, name)) for name in names
    ]
    pairs += [
        (name, _argument(there.arguments, name), _argument(wanted.arguments, name))
        for name in sorted(there.arguments.keys() | wanted.arguments.keys())
    ]
    return [
        f"{name} is {_value(found)} there and {_value(asked)} here"
        for name, found, asked in pairs
        if found != asked or isinstance(found, bool) != isinstance(asked, bool)
    ]


def _argument(arguments: Mapping[str, Any], name: str) -> Any:
    return arguments.get(name, SAME_AS_NONE.get(name))


def _value(value: Any) -> str:
    return "not set" if value is None else repr(value)


def _held(found: LiveQueue) -> str:
    counts = ((found.messages, "message"), (found.consumers, "consumer"))
    return " and ".join(f"{count} {noun}{'s' * (count != 1)}" for count, noun in counts if count)


def shown(thing: Exchange | Queue | Binding) -> str:
    """A thing in one line, as a person would write it."""
    if isinstance(thing, Binding):
        target = thing.target if isinstance(thing.target, str) else thing.target.name
        kind = "exchange " if thing.to_exchange else ""
        return f"binding {thing.source}[{thing.routing_key}] -> {kind}{target}{_given(thing.arguments)}"
    kind = f"{thing.type} exchange" if isinstance(thing, Exchange) else "queue"
    return f"{kind} {thing.name}{_given(thing.arguments)}"


def _given(arguments: Mapping[str, Any]) -> str:
    return f" ({', '.join(f'{name}={value!r}' for name, value in arguments.items())})" if arguments else ""
