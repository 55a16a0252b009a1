"""The life of a message, step by step, for those who want to know all of them.

Most wirings keep no diary, and pay nothing for it: `watched.py` has the wiring that does.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from penstock.wiring.message import Message

__all__ = ["Diary", "Event", "Step"]


class Step(Enum):
    """What can happen to a message."""

    PUBLISHED = "published"
    #: It has a place in a queue.
    ROUTED = "routed"
    #: No queue asked for it.
    UNROUTABLE = "unroutable"
    #: A queue had no room for it.
    REFUSED = "refused"
    DELIVERED = "delivered"
    ACKED = "acked"
    #: Back to its queue, after a failure or without one.
    RETURNED = "returned"
    #: Dead for its queue; if there is a home for dead letters, it is routed there next.
    DEAD = "dead"


class Event(NamedTuple):
    """One step of one message."""

    step: Step
    message: Message
    queue: str = ""
    consumer: str = ""
    #: Which delivery from this queue it is, from 1.
    attempt: int = 0
    #: Why it died, or came back.
    reason: str = ""


class Diary:
    """What happened since somebody asked last. Messages sent to one proxy, the diary's own, are left out."""

    __slots__ = ("events", "own")

    def __init__(self, own: str) -> None:
        self.own = own
        self.events: list[Event] = []

    def note(
        self,
        step: Step,
        message: Message,
        queue: str = "",
        consumer: str = "",
        attempt: int = 0,
        reason: str = "",
    ) -> None:
        """Something happened to a message."""
        if message.proxy != self.own:
            self.events.append(Event(step, message, queue, consumer, attempt, reason))

    def take(self) -> list[Event]:
        """All of it; the diary is empty then."""
        events, self.events = self.events, []
        return events
