"""Stock: what a queue has, wherever it stands, and how it goes: settled, removed, purged, or dead.

The ground that a queue is built on: the places where references stand, and the journal in which the
going of what would be missed is noted. How they come in, come back and go out is told further up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import TYPE_CHECKING

from penstock.wiring.agenda import Dead
from penstock.wiring.death import Reason
from penstock.wiring.reference import State
from penstock.wiring.registration import Target
from penstock.wiring.tally import Tally
from penstock.wiring.template import Overflow
from penstock.wiring.timers import Timers
from penstock.wiring.waiting import Waiting

if TYPE_CHECKING:
    from penstock.wiring.agenda import Agenda
    from penstock.wiring.backlog import Backlog
    from penstock.wiring.connection import Connection
    from penstock.wiring.message import Message
    from penstock.wiring.reference import Reference
    from penstock.wiring.template import Template

__all__ = ["Stock"]


class Stock(Target, ABC):
    """All references of one queue."""

    def __init__(
        self,
        name: str,
        template: Template,
        agenda: Agenda,
        backlog: Backlog,
        *,
        namespace: str = "",
        owner: Connection | None = None,
    ) -> None:
        self.name = name
        #: A type name: the same name in two namespaces is two queues.
        self.namespace = namespace
        self.template = template
        #: The connection it is private to.
        self.owner = owner
        self.timers = Timers(template.lease_in)
        self.waiting = Waiting(template.window, backlog, self.timers, weighed=template.max_bytes is not None)
        #: Put aside until somebody kicks them, in the order they were.
        self.buried: dict[int, Reference] = {}
        self.tally = Tally()
        self.destroyed = False
        #: The place of the last that came.
        self.sequence = 0
        #: Where to note what must survive; None if nothing here does.
        self.journal = agenda.journal if template.persistent else None
        #: Its number in the store, 0 if it has none.
        self.stored = 0
        self._agenda = agenda

    @property
    def address(self) -> str:
        """Its name with the namespace before it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def ready(self) -> int:
        """How many wait for delivery."""
        return len(self.waiting)

    @abstractmethod
    def touch(self) -> None:
        """There may be something to do here: it is served in the wiring's next turn."""

    @abstractmethod
    def set_alarm(self) -> None:
        """Ask to be called when the next thing here is due."""

    # The journal

    def note_removed(self, reference: Reference) -> None:
        """A reference has left for good: note it, if it would be missed."""
        message = reference.message
        if self.journal is not None and reference.sequence and (message.terms.persistent or message.stored):
            self.journal.removed.append((self, reference))

    def note_changed(self, reference: Reference) -> None:
        """A reference stands elsewhere, or with other counts: note it, if it would be missed."""
        if self.journal is not None and reference.message.terms.persistent:
            self.journal.changed.append((self, reference))

    # Out of hand

    def settle(self, reference: Reference) -> None:
        """A reference with notes is done with."""
        self.leave_hand(reference)
        self.timers.leave(reference)

    def leave_hand(self, reference: Reference) -> None:
        """A reference with notes is in nobody's hands any more: its lease ends, its group may go on."""
        self.timers.leave_hand(reference)
        notes = reference.notes
        if notes is not None and notes.handed_at != inf:
            # The time is told to the queue when it is served next, which is in this very turn.
            self.tally.ended.append(notes.handed_at)
            notes.handed_at = inf
            self.touch()
        consumer = reference.consumer
        if consumer.prefetch_bytes:
            consumer.held_bytes -= reference.message.size
        if reference.message.terms.group is not None:
            self.waiting.settle(reference)
            self.touch()

    # Gone

    def die(self, reference: Reference, reason: Reason, error: str | None = None) -> None:
        """A reference leaves for the dead letters; from a queue that is gone it leaves for nowhere."""
        if self.destroyed:
            self.vanish(reference)
            return
        reference.state = State.GONE
        self.timers.leave(reference)
        self.tally.die(reason)
        # Its going is noted when it arrives there: it is written down in one place or the other.
        self._agenda.graveyard.append(Dead(reference, self, reason, error))

    def vanish(self, reference: Reference) -> None:
        """A reference that stands nowhere goes for good."""
        reference.state = State.GONE
        self.timers.leave(reference)
        reference.message.references -= 1
        self.note_removed(reference)

    def remove(self, reference: Reference) -> None:
        """Let go of one that is in nobody's hands, wherever it stands."""
        self.lift(reference)
        self.vanish(reference)

    def purge(self) -> int:
        """Let go of all that is ready; how many there were."""
        cleared, behind = self.waiting.clear()
        for reference in cleared:
            self.note_removed(reference)
        self.timers.expiring.sweep()
        return len(cleared) + behind

    def lift(self, reference: Reference) -> None:
        """Take one that is in nobody's hands out of wherever it stands."""
        if reference.state in (State.READY, State.BEHIND):
            self.waiting.withdraw(reference)
        elif reference.state is State.DELAYED:
            reference.state = State.GONE
            self.timers.delayed.drop()
        else:
            del self.buried[reference.sequence]

    def destroy(self) -> int:
        """Let go of everything but what is in hand; how many were ready."""
        self.destroyed = True
        if self.journal is not None:
            self.journal.destroyed.append(self)
            self.journal = None
        for reference in [*self.timers.delayed, *self.buried.values()]:
            self.remove(reference)
        return self.purge()

    # Out of time

    def let_expire(self, now: float) -> None:
        """Let die what has lived its time, wherever it stands."""
        for reference in self.timers.expiring.due(now):
            # In hand it may live on; if it comes back its time is over then.
            if reference.state is not State.HELD:
                self.lift(reference)
                self._die_of_age(reference)
        for reference in self.waiting.take_expired(now):
            self._die_of_age(reference)

    def _die_of_age(self, reference: Reference) -> None:
        # Its entry in the schedule is used up already.
        reference.noted().expires_at = inf
        self.die(reference, Reason.EXPIRED)

    # Over the limits

    def is_full(self, message: Message) -> bool:
        """Whether a newcomer is to be refused; where the head is dropped instead, trimming sees to it."""
        template = self.template
        if template.overflow is Overflow.DROP_HEAD:
            return False
        if template.max_length is not None and self.ready >= template.max_length:
            return True
        return template.max_bytes is not None and self.waiting.bytes + message.size > template.max_bytes

    def trim(self) -> None:
        """Let the first die until what waits is within the limits."""
        limit, max_bytes = self.template.max_length, self.template.max_bytes
        while limit is not None and self.ready > limit:
            self.die(self.waiting.drop_first(), Reason.OVER_LENGTH)
        while max_bytes is not None and self.waiting.bytes > max_bytes:
            self.die(self.waiting.drop_first(), Reason.OVER_LENGTH)
