"""MESSAGE: a self-contained package of data that passes through the broker.

The body is neither modified nor copied; a message stands in many queues at once by reference, and
counts its references. A million of these may wait, so a message is six pointers and its terms are
shared: almost all messages of a producer are carried on the same ones.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from penstock.wiring.properties import NONE

if TYPE_CHECKING:
    from penstock.wiring.death import Death
    from penstock.wiring.properties import Properties

__all__ = ["LOWEST_PRIORITY", "PERSISTENT", "PLAIN", "Message", "Terms"]

#: 2³² priorities, the lowest number first (beanstalk protocol: put).
LOWEST_PRIORITY: Final = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a publisher wants a message to be carried. Immutable, so many messages share one."""

    #: Survives a restart, in queues that do.
    persistent: bool = False
    #: 0 … 2³²-1, lowest first.
    priority: int = 0
    #: Seconds to live in each queue it reaches, from when it is due there; None lives for ever.
    expires_in: float | None = None
    #: Seconds until it is due in each queue it reaches.
    delay_in: float = 0.0
    #: Seconds a consumer may have it in hand before it goes back; None for as long as its queue allows.
    lease_in: float | None = None
    #: At most one consumer at a time has messages of a group in hand; anything hashable.
    group: Any = None
    #: Further destinations, beside the message's own.
    also: tuple[str, ...] = ()

    def after_death(self, *, keeps_destination: bool) -> Terms:
        """The terms of a dead letter: it neither expires nor waits again."""
        also = self.also if keeps_destination else ()
        return replace(self, expires_in=None, delay_in=0.0, also=also)


#: A message that asks for nothing.
PLAIN: Final = Terms()
PERSISTENT: Final = Terms(persistent=True)


class Message:
    """One message; the queues it stands in hold references to it."""

    __slots__ = ("body", "deaths", "destination", "properties", "proxy", "references", "stored", "terms")

    def __init__(
        self,
        body: bytes | memoryview,
        destination: str = "",
        properties: Properties = NONE,
        terms: Terms = PLAIN,
        deaths: tuple[Death, ...] = (),
    ) -> None:
        self.body = body
        self.destination = destination
        self.properties = properties
        self.terms = terms
        #: The name of the proxy it was sent to; whoever publishes it writes it here.
        self.proxy = ""
        #: Why and where it died before, the latest first.
        self.deaths = deaths
        #: In how many queues, or hands, it is now.
        self.references = 0
        #: Its number in the store, 0 while it has none.
        self.stored = 0

    def __repr__(self) -> str:
        return f"<Message to {self.destination!r}, {self.size} bytes, {self.references} references>"

    @property
    def size(self) -> int:
        """How many bytes its body has."""
        return len(self.body)

    def twin(self) -> Message:
        """The same message again, that nobody refers to."""
        twin: Message = object.__new__(type(self))
        slots = (vars(base)[name] for base in type(self).__mro__ for name in vars(base).get("__slots__", ()))
        for slot in slots:
            # A subclass may have no use for all of its base's.
            with suppress(AttributeError):
                slot.__set__(twin, slot.__get__(self))
        twin.references = 0
        twin.stored = 0
        return twin

    def reborn(self, proxy: str, destination: str | None, deaths: tuple[Death, ...]) -> Message:
        """The same content on its way to its dead-letter home; without a destination it keeps its own."""
        terms = self.terms.after_death(keeps_destination=destination is None)
        where = self.destination if destination is None else destination
        letter = Message(self.body, where, self.properties, terms, deaths)
        letter.proxy = proxy
        return letter
