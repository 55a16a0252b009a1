"""QUEUE: holds references to messages and distributes these to consumers.

How a reference comes in, waits and is handed out, and when a queue wants to be called. How it comes
back is told in returning.py, how it goes in stock.py. What concerns more than this queue is written
on the agenda. Routing, names and the wiring around it are not known here.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from penstock.wiring.death import Reason
from penstock.wiring.dispatch import Dispatch
from penstock.wiring.pieces import at_once
from penstock.wiring.reference import Reference, State
from penstock.wiring.returning import Returning
from penstock.wiring.template import Overflow

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable, Iterator

    from penstock.wiring.agenda import Agenda
    from penstock.wiring.backlog import Backlog
    from penstock.wiring.connection import Connection
    from penstock.wiring.consumer import Consumer, Delivery
    from penstock.wiring.journal import Journal
    from penstock.wiring.ledger import Ledger
    from penstock.wiring.message import Message, Terms
    from penstock.wiring.pieces import Pieces
    from penstock.wiring.reader import Reader
    from penstock.wiring.registration import Registration
    from penstock.wiring.router import Stage
    from penstock.wiring.template import Template

__all__ = ["Queue"]


class Queue(Returning):
    """One queue."""

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
        super().__init__(name, template, agenda, backlog, namespace=namespace, owner=owner)
        self.dispatch = Dispatch(self)
        self.readers: dict[str, Reader] = {}
        #: Those that are giving back what they had taken.
        self.leaving: set[Reader] = set()
        self.registrations: dict[Registration, None] = {}
        #: What a message must pass before it gets in.
        self.stack: tuple[Stage, ...] = ()
        self.paused_until = 0.0
        #: When nobody will have used it for too long.
        self.unused_at = inf
        #: When the agenda will have it called next, and whether it is to be served now.
        self.wake_at = inf
        self.touched = False
        #: The terms seen last that ask for nothing but the usual lane, and that lane.
        self._usual_terms: Terms | None = None
        self._usual_lane: deque[Reference] | None = None
        self._usual_journal: Journal | None = None
        self._lane_limit = self.waiting.limit

    def __repr__(self) -> str:
        return (
            f"<Queue {self.address!r}: {self.ready} ready, {self.held} held, "
            f"{len(self.timers.delayed)} delayed, {len(self.buried)} buried, "
            f"{len(self.dispatch.consumers)} consumers>"
        )

    @property
    def detour(self) -> bool:  # type: ignore[override]
        """Whether a message has to pass a stack to get in."""
        return bool(self.stack)

    @property
    def held(self) -> int:
        """How many are in consumers' hands."""
        return sum(holder.held for holder in self.dispatch.holders)

    # In

    def put(self, message: Message, now: float) -> Reference | None:
        """Take a reference to a message, and tell it; None if there is no room and newcomers are refused."""
        lane = self._usual_lane
        if lane is None or message.terms is not self._usual_terms or len(lane) >= self._lane_limit:
            return self._place(message, now)
        self.sequence = sequence = self.sequence + 1
        reference = Reference(message, sequence)
        lane.append(reference)
        journal = self._usual_journal
        if journal is not None:
            journal.added.append((self, reference))
        if not self.touched:
            self.touch()
        return reference

    def _place(self, message: Message, now: float) -> Reference | None:
        terms, template = message.terms, self.template
        if self.is_full(message):
            self._refuse(message)
            return None
        self.sequence += 1
        reference = Reference(message, self.sequence)
        if terms.priority < template.most_urgent:
            reference.noted(template.most_urgent)
        self.timers.see(reference)
        due_at = now + terms.delay_in
        lives = [span for span in (terms.expires_in, template.expires_in) if span is not None]
        if lives:
            self.timers.expire(reference, due_at + min(lives))
        if terms.delay_in > 0:
            self.timers.delay(reference, due_at)
        else:
            self.waiting.add(reference)
            self._remember_usual(reference)
        if self.journal is not None and terms.persistent:
            self.journal.added.append((self, reference))
        self.set_alarm()
        self.touch()
        return reference

    def _refuse(self, message: Message) -> None:
        if self.template.overflow is Overflow.DEAD_LETTER:
            # It never had a place here: sequences begin with 1.
            self.die(Reference(message, 0), Reason.OVER_LENGTH)
        else:
            message.references -= 1

    def _remember_usual(self, reference: Reference) -> None:
        """Let messages on the same terms go straight to their lane from now on, if the queue allows."""
        template, terms = self.template, reference.message.terms
        refuses = template.overflow is not Overflow.DROP_HEAD and template.max_length is not None
        unusual = reference.notes is not None or reference.state is State.BEHIND
        if unusual or refuses or template.max_bytes is not None:
            self._usual_lane = None
            return
        self._usual_lane = self.waiting.lanes.main(terms.priority)
        self._lane_limit = self.waiting.limit
        self._usual_terms = terms
        self._usual_journal = self.journal if terms.persistent else None

    # Out

    def touch(self) -> None:
        if not self.touched and not self.destroyed:
            self.touched = True
            self._agenda.touched.append(self)

    def pump(self, now: float, out: list[Delivery]) -> None:
        """Serve the consumers, then drop what is over the limits."""
        self.touched = False
        if now >= self.tally.mark_at:
            self.tally.mark(self.sequence, now)
        if self.tally.ended:
            self.tally.count_handlings(now)
        if self.paused_until <= now:
            before = len(out)
            self.dispatch.pump(now, out)
            for delivery in out[before:]:
                self.tally.hand_out(delivery.references, now)
        if self.template.overflow is Overflow.DROP_HEAD:
            self.trim()
        if self.template.window is not None:
            self._lane_limit = self.waiting.relax()
        self.set_alarm()

    def get(self, ledger: Ledger, now: float, *, acks: bool = True) -> Delivery | None:
        """One message for somebody who did not subscribe; None if none is ready."""
        self.use(now)
        if self.paused_until > now:
            return None
        got = self.dispatch.get(ledger, now, acks=acks)
        if got is not None:
            self.tally.hand_out(got.references, now)
        self.set_alarm()
        return got

    def ask(self, consumer: Consumer, limit: int, now: float) -> list[Delivery]:
        """Up to so many for a consumer that asks for them now; see Ledger.credit."""
        if self.paused_until > now:
            return []
        return self._handed(self.dispatch.ask(consumer, limit, now), now)

    def hand(self, reference: Reference, ledger: Ledger, now: float, *, lease_in: float) -> Delivery:
        """This very one, that is in nobody's hands and of no group, for somebody who did not subscribe.

        Args:
            lease_in: seconds it may be in hand, if neither the message nor the queue says.
        """
        if reference.state is State.READY:
            self.waiting.take_out(reference)
        else:
            self.lift(reference)
        return self._handed([self.dispatch.hand(ledger, reference, now, lease_in)], now)[0]

    def _handed(self, deliveries: list[Delivery], now: float) -> list[Delivery]:
        for delivery in deliveries:
            self.tally.hand_out(delivery.references, now)
        self.set_alarm()
        return deliveries

    def destroy(self) -> int:
        for reader in (*self.readers.values(), *self.leaving):
            reader.let_go()
        ready = super().destroy()
        self.paused_until, self.unused_at = 0.0, inf
        self._agenda.forget(self)
        # Leases go on.
        self.set_alarm()
        return ready

    # Time

    def tick(self, now: float) -> None:
        """Do what is due."""
        self.wake_at = inf
        for reference in self.timers.leases.due(now):
            reference.consumer.ledger.lapse(reference, now)
        self.end_delays(now)
        self.let_expire(now)
        if self.paused_until <= now:
            self.paused_until = 0.0
            self.touch()
        self.set_alarm()

    def next_at(self) -> float:
        """When it wants to be called next; inf for never."""
        resumes = self.paused_until or inf
        return min(self.timers.next_at(), self.waiting.next_expiry(), self.unused_at, resumes)

    def set_alarm(self) -> None:
        self._agenda.expect(self, self.next_at())

    def pause(self, until: float) -> None:
        """Deliver nothing before then; inf for until resumed, 0 to resume."""
        self.paused_until = until
        self.set_alarm()
        self.touch()

    def use(self, now: float) -> None:
        """Somebody is interested in it: it is not unused before the template's time from now."""
        unused_in = self.template.unused_in
        used = self.dispatch.consumers or self.destroyed
        self.unused_at = inf if unused_in is None or used else now + unused_in
        self.set_alarm()

    # Looking

    def peek(self, state: State = State.READY) -> Iterator[Reference]:
        """All in one state, in the order in which they would leave it, undisturbed."""
        look: dict[State, Callable[[], Iterable[Reference]]] = {
            State.READY: lambda: self.waiting,
            State.BEHIND: lambda: (r for r in self.waiting if r.state is State.BEHIND),
            State.DELAYED: lambda: self.timers.delayed,
            State.BURIED: self.buried.values,
            State.HELD: self._in_hand,
            State.TAKEN: self._taken,
            State.GONE: tuple,
        }
        return iter(look[state]())

    def look(self, position: int, limit: int) -> list[Reference]:
        """Some that are ready, from a position on, undisturbed; the first to leave is at 0."""
        return at_once(self.looking(position, limit))

    def looking(self, position: int, limit: int) -> Pieces[list[Reference]]:
        """The same in pieces: where priorities are mixed, or some have gone, a position is far to seek."""
        return self.waiting.looking(position, limit)

    def _in_hand(self) -> Iterator[Reference]:
        ledgers = dict.fromkeys(holder.ledger for holder in self.dispatch.holders)
        held = (reference for ledger in ledgers for reference in ledger.unsettled.values())
        return (reference for reference in held if reference.consumer.queue is self)

    def _taken(self) -> Iterator[Reference]:
        for reader in self.readers.values():
            for handful in reader.handfuls:
                yield from reader.references_of(handful)

    def waited(self, now: float) -> float | None:
        """Seconds since the first in line came; None if nothing waits."""
        head = self.waiting.first()
        return None if head is None else self.age(head, now)

    def age(self, reference: Reference, now: float) -> float:
        """Seconds since one came."""
        # What has no mark came in the hundredth of a second after the last one, however long ago that is.
        latest = min(now, self.tally.mark_at or now)
        return now - self.tally.came_at(reference.sequence, latest)
