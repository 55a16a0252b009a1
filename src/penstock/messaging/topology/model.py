"""The topology: what an application wants a broker to have, and the names its code uses for it.

Values only. Where a topology comes from is in deriving.py (handlers) and written.py (a file); what a
broker has in its stead is in live.py, and the way from one to the other in plan.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from penstock.errors import TopologyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.client import Binding, Exchange, Queue

__all__ = ["Publication", "Subscription", "Topology"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A way out for messages, by a name of the application's own."""

    name: str
    exchange: str
    #: The routing key; an event's own name if it is None.
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A queue to take messages from, by a name of the application's own."""

    name: str
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """The exchanges, queues and bindings that an application needs."""

    exchanges: tuple[Exchange, ...] = ()
    queues: tuple[Queue, ...] = ()
    bindings: tuple[Binding, ...] = ()
    publications: tuple[Publication, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()

    def __add__(self, other: Topology) -> Topology:
        """Both; what is in both stands once.

        Raises:
            TopologyError: something is in both, and not the same.
        """
        return Topology(
            exchanges=_merged("exchange", self.exchanges, other.exchanges),
            queues=_merged("queue", self.queues, other.queues),
            bindings=_once((*self.bindings, *other.bindings)),
            publications=_merged("publication", self.publications, other.publications),
            subscriptions=_merged("subscription", self.subscriptions, other.subscriptions),
        )

    def things(self) -> Iterator[Exchange | Queue | Binding]:
        """All that a broker is to have, in an order it can be declared in."""
        yield from self.exchanges
        yield from self.queues
        yield from self.bindings

    def publication(self, name: str) -> Publication:
        """The way out of that name.

        Raises:
            TopologyError: there is none.
        """
        return _named("publication", name, self.publications)

    def subscription(self, name: str) -> Subscription:
        """The subscription of that name.

        Raises:
            TopologyError: there is none.
        """
        return _named("subscription", name, self.subscriptions)


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


def _merged(kind: str, *several: tuple[_Named, ...]) -> tuple[_Named, ...]:
    found: dict[str, _Named] = {}
    for thing in (each for things in several for each in things):
        if (other := found.setdefault(thing.name, thing)) != thing:
            raise TopologyError(f"{kind} {thing.name!r} is declared twice, as {other} and as {thing}")
    return tuple(found.values())


def _once(bindings: Iterable[Binding]) -> tuple[Binding, ...]:
    # Arguments are mappings, so bindings cannot be gathered in a set; there are few of them.
    found: list[Binding] = []
    for binding in bindings:
        if binding not in found:
            found.append(binding)
    return tuple(found)


def _named(kind: str, name: str, things: tuple[_Named, ...]) -> _Named:
    for thing in things:
        if thing.name == name:
            return thing
    known = ", ".join(thing.name for thing in things) or "none"
    raise TopologyError(f"there is no {kind} {name!r}; there are: {known}")
