"""What a client that comes again may have missed. Pure.

History is what the gateway has in hand from its pipe and has not acknowledged: it lets go of the oldest as
new ones come. So the broker keeps it, once, and if the gateway is killed, the broker gives all of it to the
next one of that name, in order. Every gateway hears every message, so a client may resume at any of them.

A message is known everywhere by its id, and the last one that a client has seen is its **mark**. Numbers of
each connection's own would mean nothing on another gateway, and a broadcast could not be the same bytes for
all. On two gateways messages of two publishers may arrive in another order (RabbitMQ promises none), so what
arrived shortly before the mark is sent again, and the client drops what it has seen.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import count
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.messaging import Received

__all__ = ["OVERLAP", "History", "Kept", "Missed", "Place"]

#: Seconds by which two gateways may differ in the order of messages.
OVERLAP: Final = 2.0


class Place(NamedTuple):
    """Whom a message is for: a user, or a room."""

    kind: str
    name: str


@dataclass(slots=True, eq=False)
class Kept:
    """A message that is kept."""

    id: str
    place: Place
    #: Whom of a user's clients it is for; empty is all.
    client_code: str
    frame: bytes
    number: int
    arrived_at: float
    received: Received


@dataclass(slots=True)
class _Shelf:
    """What is kept of one place."""

    kept: deque[Kept] = field(default_factory=deque)
    #: The number of the newest that had to make room.
    gone_until: int = -1


class _Arrival(NamedTuple):
    number: int
    at: float


#: Of a mark that is not known: before everything.
_UNKNOWN: Final = _Arrival(-1, -inf)


class Missed(NamedTuple):
    """What came after a mark, and whether that is all of it."""

    kept: list[Kept]
    is_whole: bool


class History:
    """Messages of all places, bounded for each, in all, and in time."""

    def __init__(self, *, each: int, in_all: int, lasts: float) -> None:
        self._each = each
        self._in_all = in_all
        self._lasts = lasts
        self._numbers = count()
        #: In the order of their arrival, as dicts are.
        self._kept: dict[str, Kept] = {}
        self._shelves: dict[Place, _Shelf] = {}
        #: When each message arrived, also of those that had to make room.
        self._arrivals: dict[str, _Arrival] = {}
        self._gone_until = -1
        #: The message that arrived last.
        self.mark = ""

    def __repr__(self) -> str:
        return f"<History of {len(self._kept)} messages, {len(self._shelves)} places>"

    def __len__(self) -> int:
        return len(self._kept)

    # Keeping

    def knows(self, id: str, received: Received) -> bool:  # noqa: A002  what a message calls it
        """Whether the message came before: after a loss of the broker, all that is kept comes again."""
        kept = self._kept.get(id)
        if kept is not None:
            kept.received = received
        elif id in self._arrivals:
            received.ack()
        return id in self._arrivals

    def add(
        self,
        id: str,  # noqa: A002  as above
        place: Place,
        frame: bytes,
        received: Received,
        *,
        now: float,
        client_code: str = "",
    ) -> None:
        """Keep a message, and let go of what has to make room."""
        kept = Kept(id, place, client_code, frame, next(self._numbers), now, received)
        self._kept[id] = kept
        self._arrivals[id] = _Arrival(kept.number, now)
        self.mark = id
        shelf = self._shelves.setdefault(place, _Shelf())
        shelf.kept.append(kept)
        if len(shelf.kept) > self._each:
            shelf.gone_until = shelf.kept[0].number
            self._let_go(shelf.kept[0])
        while len(self._kept) > self._in_all:
            oldest = next(iter(self._kept.values()))
            self._gone_until = oldest.number
            self._let_go(oldest)
        self.expire(now)

    def expire(self, now: float) -> None:
        """Let go of what is too old."""
        until = now - self._lasts
        while self._kept and (oldest := next(iter(self._kept.values()))).arrived_at <= until:
            self._let_go(oldest)
        while self._arrivals and self._arrivals[name := next(iter(self._arrivals))].at <= until:
            del self._arrivals[name]
        # Marks cost little, but a flood of messages is to be bounded all the same.
        while len(self._arrivals) > 4 * self._in_all:
            del self._arrivals[next(iter(self._arrivals))]

    def _let_go(self, kept: Kept) -> None:
        del self._kept[kept.id]
        shelf = self._shelves[kept.place]
        # The oldest of all is the oldest of its place.
        shelf.kept.popleft()
        if not shelf.kept:
            del self._shelves[kept.place]
        kept.received.ack()

    def give_back(self) -> None:
        """Leave everything to the next gateway of this name."""
        for kept in reversed(self._kept.values()):
            kept.received.requeue()
        self._kept.clear()
        self._shelves.clear()

    # Resuming

    def since(self, mark: str, places: Iterable[Place], client_code: str) -> Missed:
        """What a client may have missed that has seen this mark last."""
        shelves = [self._shelves[place] for place in places if place in self._shelves]
        arrival = self._arrivals.get(mark, _UNKNOWN)
        missed = [
            kept
            for shelf in shelves
            for kept in shelf.kept
            if kept.arrived_at >= arrival.at - OVERLAP
            and kept.id != mark
            and kept.client_code in {"", client_code}
        ]
        missed.sort(key=attrgetter("number"))
        gone_until = max([self._gone_until, *(shelf.gone_until for shelf in shelves)])
        return Missed(missed, is_whole=mark in self._arrivals and arrival.number >= gone_until)
