"""MESSAGE: a self-contained package of data that passes through the broker.

The body is neither modified nor copied; a message stands in many queues at once by reference, and
counts its references. A million of these may wait, so a message is six pointers and its terms are
shared: almost all messages of a producer are carried on the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.wiring.properties import NONE

if TYPE_CHECKING:
    from collections.abc import Hashable

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
    #: Seconds to live from the moment it reaches a queue; None lives for ever.
    expires_in: float | None = None
    #: Seconds until it is due in each queue it reaches.
    delay_in: float = 0.0
    #: At most one consumer at a time has messages of a group in hand.
    group: Hashable = None
    #: Further destinations, beside the message's own.
    also: tuple[str, ...] = ()


#: A message that asks for nothing.
PLAIN: Final = Terms()
PERSISTENT: Final = Terms(persistent=True)


class Message:
    """One message; the queues it stands in hold references to it."""

    __slots__ = ("body", "deaths", "destination", "properties", "proxy", "references", "terms")

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

    def __repr__(self) -> str:
        return f"<Message to {self.destination!r}, {len(self.body)} bytes, {self.references} references>"

    def reborn(self, destination: str | None, deaths: tuple[Death, ...]) -> Message:
        """The same content on its way to its dead-letter home: it neither expires nor waits again."""
        terms = replace(self.terms, expires_in=None, delay_in=0.0)
        if destination is None:
            return Message(self.body, self.destination, self.properties, terms, deaths)
        return Message(self.body, destination, self.properties, replace(terms, also=()), deaths)
