"""QUEUE: holds references to messages and distributes these to consumers.

Everything a reference can do in one queue happens here: it comes in, waits, is handed out, comes
back, is put aside, dies. What concerns more than this queue is written on the agenda. Routing,
names and the wiring around it are not known here.
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from penstock.wiring.agenda import Dead
from penstock.wiring.death import Reason
from penstock.wiring.dispatch import Dispatch
from penstock.wiring.reference import Reference, State
from penstock.wiring.registration import Target
from penstock.wiring.template import Overflow
from penstock.wiring.timers import Timers
from penstock.wiring.waiting import Waiting

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable, Iterator

    from penstock.wiring.agenda import Agenda
    from penstock.wiring.backlog import Backlog
    from penstock.wiring.connection import Connection
    from penstock.wiring.consumer import Delivery
    from penstock.wiring.ledger import Ledger
    from penstock.wiring.message import Message, Terms
    from penstock.wiring.registration import Registration
    from penstock.wiring.router import Stage
    from penstock.wiring.template import Template

__all__ = ["Queue"]


class Queue(Target):
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
        self.dispatch = Dispatch(self)
        self.registrations: dict[Registration, None] = {}
        #: What a message must pass before it gets in.
        self.stack: tuple[Stage, ...] = ()
        self.paused_until = 0.0
        self.destroyed = False
        #: When nobody will have used it for too long.
        self.unused_at = inf
        #: When the agenda will have it called next, and whether it is to be served now.
        self.wake_at = inf
        self.touched = False
        self._agenda = agenda
        self._sequence = 0
        #: The terms seen last that ask for nothing but the usual lane, and that lane.
        self._usual_terms: Terms | None = None
        self._usual_lane: deque[Reference] | None = None

    def __repr__(self) -> str:
        return (
            f"<Queue {self.address!r}: {self.ready} ready, {self.held} held, "
            f"{len(self.timers.delayed)} delayed, {len(self.buried)} buried, "
            f"{len(self.dispatch.consumers)} consumers>"
        )

    @property
    def address(self) -> str:
        """Its name with the namespace before it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def detour(self) -> bool:  # type: ignore[override]
        """Whether a message has to pass a stack to get in."""
        return bool(self.stack)

    @property
    def ready(self) -> int:
        """How many wait for delivery."""
        return len(self.waiting)

    @property
    def held(self) -> int:
        """How many are in consumers' hands."""
        return sum(holder.held for holder in self.dispatch.holders)

    # In

    def put(self, message: Message, now: float) -> bool:
        """Take a reference to a message; False if there is no room and newcomers are refused."""
        lane = self._usual_lane
        if lane is None or message.terms is not self._usual_terms:
            return self._place(message, now)
        self._sequence = sequence = self._sequence + 1
        lane.append(Reference(message, sequence))
        if not self.touched:
            self.touch()
        return True

    def _place(self, message: Message, now: float) -> bool:
        terms, template = message.terms, self.template
        reference = Reference(message, self._sequence + 1)
        if self._is_full(message):
            if template.overflow is Overflow.DEAD_LETTER:
                self.die(reference, Reason.OVER_LENGTH)
            else:
                self._vanish(reference)
            return False
        self._sequence += 1
        if terms.priority < template.most_urgent:
            reference.noted(template.most_urgent)
        due_at = now + terms.delay_in
        lives = [span for span in (terms.expires_in, template.expires_in) if span is not None]
        if lives:
            self.timers.expire(reference, due_at + min(lives))
        if terms.delay_in > 0:
            self.timers.delay(reference, due_at)
        else:
            self.waiting.add(reference)
            self._remember_usual(reference)
        self._set_alarm()
        self.touch()
        return True

    def _remember_usual(self, reference: Reference) -> None:
        """Let messages on the same terms go straight to their lane from now on, if the queue allows."""
        template, terms = self.template, reference.message.terms
        refuses = template.overflow is not Overflow.DROP_HEAD and template.max_length is not None
        if reference.notes is None and template.window is None and template.max_bytes is None and not refuses:
            self._usual_lane = self.waiting.lanes.main(terms.priority)
            self._usual_terms = terms

    def _is_full(self, message: Message) -> bool:
        """Whether a newcomer is to be refused; where the head is dropped instead, trimming sees to it."""
        template = self.template
        if template.overflow is Overflow.DROP_HEAD:
            return False
        if template.max_length is not None and self.ready >= template.max_length:
            return True
        return template.max_bytes is not None and self.waiting.bytes + len(message.body) > template.max_bytes

    # Out

    def touch(self) -> None:
        """There may be something to do here: it is served in the wiring's next turn."""
        if not self.touched and not self.destroyed:
            self.touched = True
            self._agenda.touched.append(self)

    def pump(self, now: float, out: list[Delivery]) -> None:
        """Serve the consumers, then drop what is over the limits."""
        self.touched = False
        if self.paused_until <= now:
            self.dispatch.pump(now, out)
        if self.template.overflow is Overflow.DROP_HEAD:
            self._trim()
        self._set_alarm()

    def get(self, ledger: Ledger, now: float, *, acks: bool = True) -> Delivery | None:
        """One message for somebody who did not subscribe; None if none is ready."""
        self.use(now)
        if self.paused_until > now:
            return None
        got = self.dispatch.get(ledger, now, acks=acks)
        self._set_alarm()
        return got

    def _trim(self) -> None:
        limit, max_bytes = self.template.max_length, self.template.max_bytes
        while limit is not None and self.ready > limit:
            self.die(self.waiting.drop_first(), Reason.OVER_LENGTH)
        while max_bytes is not None and self.waiting.bytes > max_bytes:
            self.die(self.waiting.drop_first(), Reason.OVER_LENGTH)

    # Settled, or back

    def settle(self, reference: Reference) -> None:
        """A reference with notes is done with."""
        self.leave_hand(reference)
        self.timers.leave(reference)

    def leave_hand(self, reference: Reference) -> None:
        """A reference with notes is in nobody's hands any more: its lease ends, its group may go on."""
        self.timers.leave_hand(reference)
        consumer = reference.consumer
        if consumer.prefetch_bytes:
            consumer.held_bytes -= len(reference.message.body)
        if reference.message.terms.group is not None:
            self.waiting.settle(reference)
            self.touch()

    def take_back(
        self,
        reference: Reference,
        now: float,
        *,
        failed: bool = False,
        error: str | None = None,
        delay_in: float = 0.0,
        priority: int | None = None,
    ) -> None:
        """A reference that was in hand returns to its place, or later, unless its time is over."""
        notes = reference.noted()
        limit = self.template.delivery_limit
        if failed:
            notes.failed += 1
            notes.error = error
        if self.destroyed:
            self._vanish(reference)
        elif limit is not None and notes.failed > limit:
            self.die(reference, Reason.TOO_MANY_DELIVERIES, notes.error)
        elif notes.expires_at <= now:
            self.die(reference, Reason.EXPIRED)
        else:
            notes.redelivered += 1
            self._return(reference, now, delay_in, priority)

    def bury(self, reference: Reference, *, priority: int | None = None, error: str | None = None) -> None:
        """Put a reference aside until somebody kicks it."""
        notes = reference.noted()
        notes.error = error
        if self.destroyed:
            self._vanish(reference)
            return
        if priority is not None:
            notes.priority = max(priority, self.template.most_urgent)
        reference.state = State.BURIED
        self.buried[reference.sequence] = reference
        if notes.expires_at != inf:
            # Its time may have come while it was in hand.
            self.timers.expire(reference, notes.expires_at)
            self._set_alarm()

    def kick(self, now: float, limit: int = 1) -> int:
        """Make up to so many buried ones ready, or delayed ones if none is buried; how many."""
        source: Iterable[Reference] = self.buried.values() or self.timers.delayed
        kicked = list(islice(source, limit))
        for reference in kicked:
            self.kick_one(reference, now)
        return len(kicked)

    def kick_one(self, reference: Reference, now: float) -> None:
        """Make one that is buried or delayed ready."""
        self._lift(reference)
        self._return(reference, now, 0.0, None)

    def _return(self, reference: Reference, now: float, delay_in: float, priority: int | None) -> None:
        if priority is not None:
            reference.noted().priority = max(priority, self.template.most_urgent)
        if delay_in > 0:
            self.timers.delay(reference, now + delay_in)
            self._set_alarm()
        else:
            reference.state = State.READY
            self.waiting.put_back(reference)
        self.touch()

    # Death

    def die(self, reference: Reference, reason: Reason, error: str | None = None) -> None:
        """A reference leaves for the dead letters."""
        reference.state = State.GONE
        self.timers.leave(reference)
        self._agenda.graveyard.append(Dead(reference, self, reason, error))

    def _vanish(self, reference: Reference) -> None:
        reference.state = State.GONE
        self.timers.leave(reference)
        reference.message.references -= 1

    def purge(self) -> int:
        """Let go of all that is ready; how many there were."""
        purged = self.waiting.clear()
        self.timers.expiring.sweep()
        return purged

    def remove(self, reference: Reference) -> None:
        """Let go of one that is in nobody's hands, wherever it stands."""
        self._lift(reference)
        self._vanish(reference)

    def _lift(self, reference: Reference) -> None:
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
        aside = [*self.timers.delayed, *self.buried.values()]
        for reference in aside:
            self.remove(reference)
        self.paused_until, self.unused_at = 0.0, inf
        ready = self.purge()
        self._agenda.forget(self)
        self._set_alarm()
        return ready

    # Time

    def tick(self, now: float) -> None:
        """Do what is due."""
        self.wake_at = inf
        for reference in self.timers.leases.due(now):
            reference.consumer.ledger.lapse(reference, now)
        for reference in self.timers.delayed.due(now):
            self._return(reference, now, 0.0, None)
        for reference in self.timers.expiring.due(now):
            self._expire(reference)
        for reference in self.waiting.take_expired(now):
            self._die_of_age(reference)
        if self.paused_until <= now:
            self.paused_until = 0.0
            self.touch()
        self._set_alarm()

    def _expire(self, reference: Reference) -> None:
        # In hand it may live on; if it comes back its time is over then.
        if reference.state is State.HELD:
            return
        self._lift(reference)
        self._die_of_age(reference)

    def _die_of_age(self, reference: Reference) -> None:
        # Its entry in the schedule is used up already.
        reference.noted().expires_at = inf
        self.die(reference, Reason.EXPIRED)

    def next_at(self) -> float:
        """When it wants to be called next; inf for never."""
        resumes = self.paused_until or inf
        return min(self.timers.next_at(), self.waiting.next_expiry(), self.unused_at, resumes)

    def _set_alarm(self) -> None:
        self._agenda.expect(self, self.next_at())

    def pause(self, until: float) -> None:
        """Deliver nothing before then; inf for until resumed, 0 to resume."""
        self.paused_until = until
        self._set_alarm()
        self.touch()

    def use(self, now: float) -> None:
        """Somebody is interested in it: it is not unused before the template's time from now."""
        unused_in = self.template.unused_in
        used = self.dispatch.consumers or self.destroyed
        self.unused_at = inf if unused_in is None or used else now + unused_in
        self._set_alarm()

    # Looking

    def peek(self, state: State = State.READY) -> Iterator[Reference]:
        """All in one state, in the order in which they would leave it, undisturbed."""
        look: dict[State, Callable[[], Iterable[Reference]]] = {
            State.READY: lambda: self.waiting,
            State.BEHIND: lambda: (r for r in self.waiting if r.state is State.BEHIND),
            State.DELAYED: lambda: self.timers.delayed,
            State.BURIED: self.buried.values,
            State.HELD: self._in_hand,
            State.GONE: tuple,
        }
        return iter(look[state]())

    def _in_hand(self) -> Iterator[Reference]:
        ledgers = dict.fromkeys(holder.ledger for holder in self.dispatch.holders)
        held = (reference for ledger in ledgers for reference in ledger.unsettled.values())
        return (reference for reference in held if reference.consumer.queue is self)
