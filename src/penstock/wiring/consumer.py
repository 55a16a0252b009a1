"""Consumer: someone who gets messages from a queue, as fast as its window allows."""

from __future__ import annotations

from sys import maxsize
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.wiring.reference import State

if TYPE_CHECKING:
    from penstock.wiring.ledger import Ledger
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference

__all__ = ["UNLIMITED", "Consumer", "Delivery"]

GONE, HELD = State.GONE, State.HELD

#: A window that never fills.
UNLIMITED: Final = 0


class Delivery(NamedTuple):
    """What a consumer gets in one go: references under consecutive tags."""

    consumer: Consumer
    first_tag: int
    references: list[Reference]


class Consumer:
    """One consumer of one queue."""

    __slots__ = (
        "acks",
        "cancelled",
        "exclusive",
        "held",
        "held_bytes",
        "lease_in",
        "ledger",
        "name",
        "prefetch",
        "prefetch_bytes",
        "priority",
        "queue",
        "remarks",
    )

    def __init__(
        self,
        name: str,
        queue: Queue,
        ledger: Ledger,
        *,
        acks: bool = True,
        prefetch: int = UNLIMITED,
        prefetch_bytes: int = UNLIMITED,
        priority: int = 0,
        exclusive: bool = False,
        lease_in: float | None = None,
        remarks: Any = None,
    ) -> None:
        self.name = name
        self.queue = queue
        self.ledger = ledger
        #: Whether it is going to settle what it gets.
        self.acks = acks
        #: How many messages, and bytes, it may have in hand; a message larger than the window comes alone.
        self.prefetch = prefetch if acks else UNLIMITED
        self.prefetch_bytes = prefetch_bytes if acks else UNLIMITED
        #: Those of higher priority are served first, while they have room.
        self.priority = priority
        self.exclusive = exclusive
        #: Seconds it may have one in hand, if neither the message nor the queue says.
        self.lease_in = lease_in
        #: For the front that made it; the wiring does not look.
        self.remarks = remarks
        self.cancelled = False
        self.held = 0
        self.held_bytes = 0

    def __repr__(self) -> str:
        window = self.prefetch or "any"
        return f"<Consumer {self.name!r} of {self.queue.address!r}, {self.held} in hand of {window}>"

    def room(self) -> int:
        """How many more messages it may have in hand."""
        ledger = self.ledger
        if self.cancelled or not ledger.flowing:
            return 0
        room = self.prefetch - self.held if self.prefetch else maxsize
        if ledger.prefetch and self.acks:
            room = min(room, ledger.prefetch - len(ledger.unsettled))
        if ledger.credit is not None:
            room = min(room, ledger.credit)
        return max(room, 0)

    def fits(self, reference: Reference) -> bool:
        """Whether it may have this one in hand too."""
        if self.room() <= 0:
            return False
        if not self.prefetch_bytes or not self.held:
            return True
        return self.held_bytes + reference.message.size <= self.prefetch_bytes

    def hold(self, references: list[Reference]) -> int:
        """Take references in hand, and note them in the ledger; the first one's tag."""
        ledger = self.ledger
        first = tag = ledger.last_tag + 1
        ledger.last_tag += len(references)
        if ledger.credit is not None:
            ledger.credit -= len(references)
        if not self.acks:
            self._let_go(references)
            return first
        unsettled = ledger.unsettled
        for reference in references:
            reference.state = HELD
            reference.consumer = self
            reference.acquired += 1
            unsettled[tag] = reference
            tag += 1
        self.held += len(references)
        if self.prefetch_bytes:
            for reference in references:
                reference.noted()
                self.held_bytes += reference.message.size
        return first

    def drop(self, count: int) -> None:
        """So many have left its hands."""
        self.held -= count
        if self.ledger.resting:
            self.ledger.wake(self)
        if self.cancelled and not self.held:
            self.queue.dispatch.holders.pop(self, None)
            if self.ledger.getters.get(self.queue) is self:
                del self.ledger.getters[self.queue]

    def _let_go(self, references: list[Reference]) -> None:
        """One that does not acknowledge is done with a message as soon as it is sent."""
        for reference in references:
            reference.state = GONE
            reference.consumer = self
            reference.acquired += 1
            reference.message.references -= 1
            self.queue.note_removed(reference)
            if reference.notes is not None:
                self.queue.settle(reference)
