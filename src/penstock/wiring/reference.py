"""Reference: a message's place in one queue.

Queues hold references, not messages. A million may wait, so what most of them never need (counts of
failures, times, a priority of their own) stands in Notes, made when there is something to note.
"""

from __future__ import annotations

from enum import Enum
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.wiring.consumer import Consumer
    from penstock.wiring.message import Message

__all__ = ["Notes", "Reference", "State"]


class State(Enum):
    """Where a reference stands."""

    READY = "ready"
    #: Ready too, but kept in the backlog, behind the memory window.
    BEHIND = "behind"
    DELAYED = "delayed"
    HELD = "held"
    #: A reader has it, under a position.
    TAKEN = "taken"
    BURIED = "buried"
    GONE = "gone"


READY = State.READY


class Notes:
    """What there is to say about a reference beyond its place."""

    __slots__ = (
        "aside",
        "due_at",
        "error",
        "expires_at",
        "failed",
        "handed_at",
        "home",
        "lease_at",
        "priority",
        "redelivered",
        "remarks",
        "tag",
    )

    def __init__(self, priority: int) -> None:
        self.priority = priority
        #: The priority it came in with, and whether it has ever stood elsewhere than in that line.
        self.home = priority
        self.aside = False
        #: Times it was in hand and went back into the queue, whoever was to blame.
        self.redelivered = 0
        #: Times its consumer failed: rejected it, let the lease run out, or was lost.
        self.failed = 0
        self.due_at = 0.0
        self.expires_at = inf
        self.lease_at = inf
        #: When it was handed to whoever has it, if the tally wants to know.
        self.handed_at = inf
        #: The delivery tag it is held under, while it has a lease.
        self.tag = 0
        #: What the last consumer to fail said.
        self.error: str | None = None
        #: For the front that hands it out; the wiring does not look.
        self.remarks: bytes | None = None


class Reference:
    """One message in one queue: where it stands, and who has it."""

    __slots__ = ("acquired", "consumer", "message", "notes", "sequence", "state")

    #: Who has it, or had it last; not set before the first time, which a million never reach.
    consumer: Consumer

    def __init__(self, message: Message, sequence: int) -> None:
        self.message = message
        #: Its place among those of the same priority: what comes back goes back to it.
        self.sequence = sequence
        self.state = READY
        #: Times it was handed to a consumer.
        self.acquired = 0
        self.notes: Notes | None = None

    def __repr__(self) -> str:
        return (
            f"<Reference {self.sequence} {self.state.value}, acquired {self.acquired}, "
            f"failed {self.failed}, redelivered {self.redelivered}>"
        )

    def __lt__(self, other: Reference) -> bool:
        """The order of delivery."""
        return (self.priority, self.sequence) < (other.priority, other.sequence)

    def noted(self, priority: int | None = None) -> Notes:
        """Its notes, made now if there were none."""
        notes = self.notes
        if notes is None:
            notes = self.notes = Notes(self.message.terms.priority if priority is None else priority)
        return notes

    @property
    def priority(self) -> int:
        """0 … 2³²-1, lowest first; a queue or a release may have changed the message's own."""
        return self.message.terms.priority if self.notes is None else self.notes.priority

    @property
    def failed(self) -> int:
        """Times a consumer failed on it."""
        return 0 if self.notes is None else self.notes.failed

    @property
    def redelivered(self) -> int:
        """Times it came back into the queue from a consumer's hands."""
        return 0 if self.notes is None else self.notes.redelivered

    @property
    def expires_at(self) -> float:
        """When it dies if it is still in the queue; inf for never."""
        return inf if self.notes is None else self.notes.expires_at
