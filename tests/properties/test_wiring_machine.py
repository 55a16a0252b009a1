"""The whole model under random traffic: nothing lost, nothing twice, windows, order, counts.

A state machine publishes, consumes, settles, waits, breaks connections and destroys queues in any
order. Beside the wiring it keeps the simplest model there is: for each queue the set of message
numbers that must be in it; and from the journal alone, the book of what a restart must bring back.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
)

from penstock.wiring import (
    DeadLetters,
    Message,
    Overflow,
    Reference,
    State,
    Template,
    Terms,
    Wiring,
)
from penstock.wiring.journal import Journal

if TYPE_CHECKING:
    from penstock.wiring import Connection, Consumer, Delivery, Ledger, Queue
    from penstock.wiring.stock import Stock

ALIVE = (State.READY, State.DELAYED, State.BURIED, State.HELD)

HOME = DeadLetters("dead")
#: One of each kind, so that every rule meets every kind of queue.
TEMPLATES = {
    "plain": Template(),
    "homeless": Template(delivery_limit=1),
    "mortal": Template(expires_in=5, dead_letters=HOME),
    "leased": Template(lease_in=3, delivery_limit=2, dead_letters=HOME),
    "windowed": Template(window=2, dead_letters=HOME),
    "windowed-mortal": Template(window=2, expires_in=9),
    "urgent": Template(most_urgent=2),
    "single": Template(single_active=True, dead_letters=HOME),
    "kept": Template(persistent=True, lease_in=3, delivery_limit=2, dead_letters=HOME),
    "kept-windowed": Template(persistent=True, window=2, expires_in=9, dead_letters=HOME),
}
LIMITED = {
    "head": Template(max_length=3, dead_letters=HOME),
    "newcomer": Template(max_length=3, overflow=Overflow.REJECT_PUBLISH),
    "kept-head": Template(persistent=True, window=2, max_length=3, dead_letters=HOME),
    "letters": Template(persistent=True, max_bytes=9, overflow=Overflow.DEAD_LETTER, dead_letters=HOME),
}

TERMS = st.builds(
    Terms,
    persistent=st.booleans(),
    priority=st.sampled_from([0, 0, 0, 1, 7]),
    expires_in=st.sampled_from([None, None, None, 2.0]),
    delay_in=st.sampled_from([0.0, 0.0, 0.0, 4.0]),
    group=st.sampled_from([None, None, "a", "b"]),
)


def everything(queue: Queue) -> list[Reference]:
    return [reference for state in ALIVE for reference in queue.peek(state)]


def number(reference: Reference) -> int:
    """Every body is unique: its number, and some bytes more."""
    return int(bytes(reference.message.body).split(b" ")[0])


@dataclass
class Seen:
    """What the machine itself counted about one reference."""

    acquired: Counter[Reference] = field(default_factory=Counter)
    failed: Counter[Reference] = field(default_factory=Counter)


class WiringMachine(RuleBasedStateMachine):
    """Random traffic through one wiring."""

    ledgers: Bundle[Ledger] = Bundle("ledgers")

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.journal = Journal()
        self.wiring = Wiring(journal=self.journal)
        #: What the journal says is in each persistent queue.
        self.book: dict[Stock, set[Reference]] = {}
        self.wiring.create_proxy("names", "DEST-NAME")
        self.wiring.create_proxy("topics", "DEST-WILD")
        self.wiring.create_proxy("everyone", "FANOUT")
        self.wiring.create_proxy("dead", "FANOUT")
        self.wiring.register(self.wiring.create_queue("graves", persistent=True, now=0.0), "dead")
        self.ledgers_opened: list[Ledger] = []
        self.numbers = 0
        self.messages: dict[int, Message] = {}
        self.seen = Seen()
        #: Queue name → the numbers that must be in it; only for queues without limits.
        self.expected: dict[str, set[int]] = {}
        self.deaths = 0

    @initialize(kinds=st.lists(st.sampled_from(sorted(TEMPLATES)), min_size=1, max_size=4, unique=True))
    def queues_without_limits(self, kinds: list[str]) -> None:
        for kind in kinds:
            self._create(kind, TEMPLATES[kind])
            self.expected[kind] = set()

    @initialize(kinds=st.lists(st.sampled_from(sorted(LIMITED)), max_size=2, unique=True))
    def queues_with_limits(self, kinds: list[str]) -> None:
        for kind in kinds:
            self._create(kind, LIMITED[kind])

    def _create(self, name: str, template: Template) -> None:
        self.wiring.templates[name] = template
        queue = self.wiring.create_queue(name, template=name, now=self.now)
        for proxy, pattern in (
            ("names", name),
            ("topics", f"*.{name}"),
            ("topics", "all.#"),
            ("everyone", None),
        ):
            self.wiring.register(queue, proxy, pattern)

    def _queue(self, name: str) -> Queue:
        return self.wiring.queue(name)

    def _gone(self, references: list[Reference]) -> None:
        for reference in references:
            self.expected.get(reference.consumer.queue.name, set()).discard(number(reference))

    # In

    @rule(
        data=st.data(),
        terms=TERMS,
        count=st.integers(1, 4),
        by=st.sampled_from(["names", "topics", "everyone"]),
    )
    def publish(self, data: st.DataObject, terms: Terms, count: int, by: str) -> None:
        names = [name for _, name in self.wiring.queues if name != "graves"]
        name = data.draw(st.sampled_from(names))
        destination = {"names": name, "topics": f"some.{name}", "everyone": ""}[by]
        batch = []
        for _ in range(count):
            self.numbers += 1
            batch.append(Message(b"%d xx" % self.numbers, destination, terms=terms))
            self.messages[self.numbers] = batch[-1]
        published = self.wiring.publish(by, batch, self.now)
        assert not published.unroutable
        for reached in self.expected if by == "everyone" else [name]:
            if reached in self.expected:
                self.expected[reached].update(range(self.numbers - count + 1, self.numbers + 1))

    # Clients

    @rule(target=ledgers, prefetch=st.sampled_from([0, 0, 3]))
    def open(self, prefetch: int) -> Ledger:
        ledger = self.wiring.connect("client").open_ledger()
        ledger.prefetch = prefetch
        self.ledgers_opened.append(ledger)
        return ledger

    @rule(
        ledger=ledgers,
        data=st.data(),
        prefetch=st.sampled_from([0, 1, 2, 5]),
        prefetch_bytes=st.sampled_from([0, 0, 9]),
        acks=st.sampled_from([True, True, True, False]),
        priority=st.sampled_from([0, 0, 1]),
    )
    def consume(
        self,
        ledger: Ledger,
        data: st.DataObject,
        prefetch: int,
        prefetch_bytes: int,
        *,
        acks: bool,
        priority: int,
    ) -> None:
        queue = data.draw(st.sampled_from(list(self.wiring.queues.values())))
        how = {"acks": acks, "prefetch": prefetch, "prefetch_bytes": prefetch_bytes, "priority": priority}
        self.numbers += 1
        self.wiring.consume(ledger, queue, f"consumer {self.numbers}", **how, now=self.now)

    @precondition(lambda self: any(queue.dispatch.consumers for queue in self.wiring.queues.values()))
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        consumers = [c for queue in self.wiring.queues.values() for c in queue.dispatch.consumers]
        self.wiring.cancel(data.draw(st.sampled_from(consumers)), self.now)

    @rule(ledger=consumes(ledgers), failed=st.booleans())
    def disconnect(self, ledger: Ledger, *, failed: bool) -> None:
        held = list(ledger.unsettled.values())
        self.wiring.disconnect(ledger.connection, self.now, failed=failed)
        if failed:
            self._count_failures(held)
        self._expect_deaths(held)
        assert not ledger.unsettled
        assert not ledger.consumers

    # Out

    @rule()
    def deliver(self) -> None:
        for delivery in self.wiring.deliver(self.now):
            self._check_delivery(delivery)

    def _check_delivery(self, delivery: Delivery) -> None:
        consumer, tag, references = delivery
        self.seen.acquired.update(references)
        if consumer.acks:
            assert [consumer.ledger.unsettled.get(tag + i) for i in range(len(references))] == references
        else:
            self._gone(references)
        # What is left behind comes later in order, unless its group is in somebody's hands.
        for group in {reference.message.terms.group for reference in references}:
            last = max(r for r in references if r.message.terms.group == group)
            left = [r for r in consumer.queue.peek() if r.message.terms.group == group]
            assert not left or last < min(left)

    @rule(ledger=ledgers, data=st.data())
    def get(self, ledger: Ledger, data: st.DataObject) -> None:
        queue = data.draw(st.sampled_from(list(self.wiring.queues.values())))
        got = queue.get(ledger, self.now)
        if got is not None:
            self._check_delivery(got)

    # Settling

    def _draw_tag(self, ledger: Ledger, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(ledger.unsettled)))

    def _chosen(self, ledger: Ledger, tag: int, *, up_to: bool) -> list[Reference]:
        return [r for t, r in ledger.unsettled.items() if t == tag or (up_to and t < tag)]

    @rule(ledger=ledgers, data=st.data(), up_to=st.booleans())
    def ack(self, ledger: Ledger, data: st.DataObject, *, up_to: bool) -> None:
        if not ledger.unsettled:
            return
        tag = self._draw_tag(ledger, data)
        chosen = self._chosen(ledger, tag, up_to=up_to)
        assert ledger.ack(tag, up_to=up_to) == len(chosen)
        self._gone(chosen)
        assert all(reference.state is State.GONE for reference in chosen)

    @rule(
        ledger=ledgers,
        data=st.data(),
        up_to=st.booleans(),
        requeue=st.booleans(),
        delay_in=st.sampled_from([0.0, 0.0, 3.0]),
        priority=st.sampled_from([None, None, 0, 9]),
    )
    def nack(
        self,
        ledger: Ledger,
        data: st.DataObject,
        *,
        up_to: bool,
        requeue: bool,
        delay_in: float,
        priority: int | None,
    ) -> None:
        if not ledger.unsettled:
            return
        tag = self._draw_tag(ledger, data)
        chosen = self._chosen(ledger, tag, up_to=up_to)
        ledger.nack(tag, self.now, up_to=up_to, requeue=requeue, delay_in=delay_in, priority=priority)
        self._settled(chosen, requeue=requeue)

    @rule(ledger=ledgers, data=st.data(), up_to=st.booleans(), requeue=st.booleans())
    def reject(self, ledger: Ledger, data: st.DataObject, *, up_to: bool, requeue: bool) -> None:
        if not ledger.unsettled:
            return
        tag = self._draw_tag(ledger, data)
        chosen = self._chosen(ledger, tag, up_to=up_to)
        ledger.reject(tag, self.now, up_to=up_to, requeue=requeue, error="no")
        self._count_failures(chosen)
        self._settled(chosen, requeue=requeue)

    def _count_failures(self, references: list[Reference]) -> None:
        self.seen.failed.update(references)

    def _settled(self, references: list[Reference], *, requeue: bool) -> None:
        if requeue:
            self._expect_deaths(references)
        else:
            self._gone(references)

    def _expect_deaths(self, references: list[Reference]) -> None:
        """Those that came back too often or too late are dead; this is the rule, not the code's word."""
        for reference in references:
            template = reference.consumer.queue.template
            limit = inf if template.delivery_limit is None else template.delivery_limit
            if self.seen.failed[reference] > limit or reference.expires_at <= self.now:
                self._gone([reference])

    @rule(ledger=ledgers, data=st.data())
    def bury(self, ledger: Ledger, data: st.DataObject) -> None:
        if ledger.unsettled:
            ledger.bury(self._draw_tag(ledger, data))

    @rule(ledger=ledgers, data=st.data())
    def touch(self, ledger: Ledger, data: st.DataObject) -> None:
        if ledger.unsettled:
            ledger.touch(self._draw_tag(ledger, data), self.now)

    # Operators

    @rule(data=st.data(), limit=st.integers(1, 3))
    def kick(self, data: st.DataObject, limit: int) -> None:
        data.draw(st.sampled_from(list(self.wiring.queues.values()))).kick(self.now, limit)

    @rule(data=st.data(), until=st.sampled_from([0.0, 3.0, inf]))
    def pause(self, data: st.DataObject, until: float) -> None:
        queue = data.draw(st.sampled_from(list(self.wiring.queues.values())))
        queue.pause(self.now + until if 0 < until < inf else until)

    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        queue = data.draw(st.sampled_from(list(self.wiring.queues.values())))
        ready = [number(reference) for reference in queue.peek()]
        # What is behind the window the backlog itself strikes out.
        self.book.get(queue, set()).difference_update(list(queue.peek(State.BEHIND)))
        assert queue.purge() == len(ready)
        self.expected.get(queue.name, set()).difference_update(ready)

    @rule(data=st.data(), state=st.sampled_from([State.READY, State.DELAYED, State.BURIED]))
    def remove(self, data: st.DataObject, state: State) -> None:
        queue = data.draw(st.sampled_from(list(self.wiring.queues.values())))
        references = list(queue.peek(state))
        if references:
            reference = data.draw(st.sampled_from(references))
            queue.remove(reference)
            self.expected.get(queue.name, set()).discard(number(reference))

    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        """Another queue of the same name: what is in hand of the old one is none of its business."""
        kinds = TEMPLATES | LIMITED
        queue = data.draw(st.sampled_from([q for q in self.wiring.queues.values() if q.name in kinds]))
        self.wiring.destroy_queue(queue)
        self._create(queue.name, kinds[queue.name])
        if queue.name in self.expected:
            self.expected[queue.name].clear()

    @rule(span=st.sampled_from([0.5, 2.0, 5.0]))
    def wait(self, span: float) -> None:
        self.now += span
        for queue in self.wiring.queues.values():
            leased = [
                r for r in queue.peek(State.HELD) if r.notes is not None and r.notes.lease_at <= self.now
            ]
            self._count_failures(leased)
            self._expect_deaths(leased)
            dead = {
                number(r) for r in everything(queue) if r.expires_at <= self.now and r.state is not State.HELD
            }
            self.expected.get(queue.name, set()).difference_update(dead)
        assert self.wiring.tick(self.now) >= self.now

    # What must always hold

    @invariant()
    def nothing_is_lost_and_nothing_appears(self) -> None:
        for name, expected in self.expected.items():
            assert {number(reference) for reference in everything(self._queue(name))} == expected

    @invariant()
    def each_reference_stands_in_one_place(self) -> None:
        for queue in self.wiring.queues.values():
            references = everything(queue)
            assert len(set(references)) == len(references)
            # One message may have died in several queues.
            if queue.name != "graves":
                assert len({number(reference) for reference in references}) == len(references)
            assert queue.ready == len(list(queue.peek()))
            assert queue.held == len(list(queue.peek(State.HELD)))

    @invariant()
    def messages_know_how_many_refer_to_them(self) -> None:
        counted: Counter[Message] = Counter()
        for queue in self.wiring.queues.values():
            counted.update(reference.message for reference in everything(queue))
        counted.update(dead.reference.message for dead in self.wiring._agenda.graveyard)
        for ledger in self.ledgers_opened:
            counted.update(r.message for r in ledger.unsettled.values() if r.consumer.queue.destroyed)
        for message in [*self.messages.values(), *counted]:
            assert message.references == counted[message]

    @invariant()
    def windows_are_never_exceeded(self) -> None:
        for queue in self.wiring.queues.values():
            for consumer in queue.dispatch.consumers:
                self._check_window(consumer)

    def _check_window(self, consumer: Consumer) -> None:
        ledger = consumer.ledger
        held = [r for r in ledger.unsettled.values() if r.consumer is consumer]
        assert consumer.held == len(held)
        assert not consumer.prefetch or consumer.held <= consumer.prefetch
        if consumer.prefetch_bytes:
            weight = sum(len(reference.message.body) for reference in held)
            assert consumer.held_bytes == weight
            assert weight <= consumer.prefetch_bytes or consumer.held == 1
        assert not ledger.prefetch or len(ledger.unsettled) <= ledger.prefetch or ledger.getters

    @invariant()
    def a_group_is_in_one_consumers_hands(self) -> None:
        for queue in self.wiring.queues.values():
            hands: dict[object, set[Consumer]] = {}
            for reference in queue.peek(State.HELD):
                if reference.message.terms.group is not None:
                    hands.setdefault(reference.message.terms.group, set()).add(reference.consumer)
            assert all(len(consumers) == 1 for consumers in hands.values())

    @invariant()
    def counts_are_right(self) -> None:
        for queue in self.wiring.queues.values():
            for reference in everything(queue):
                assert reference.acquired == self.seen.acquired[reference]
                assert reference.failed == self.seen.failed[reference]
                in_hand = reference.state in (State.HELD, State.BURIED)
                assert reference.acquired - 1 <= reference.redelivered + in_hand

    @invariant()
    def peeking_shows_the_order_of_delivery(self) -> None:
        for queue in self.wiring.queues.values():
            ready = [(reference.priority, reference.sequence) for reference in queue.peek()]
            assert ready == sorted(ready)

    @invariant()
    def consumers_with_room_are_not_kept_waiting(self) -> None:
        """Once all is delivered, nothing ready is left for a consumer that could take it."""
        if self.wiring.busy or self.wiring._agenda.graveyard:
            return
        for queue in self.wiring.queues.values():
            ready = [r for r in queue.peek() if r.message.terms.group is None]
            if not ready or queue.paused_until > self.now:
                continue
            single = queue.template.single_active
            served = [queue.dispatch.active] if single else list(queue.dispatch.consumers)
            assert not any(consumer is not None and consumer.fits(ready[0]) for consumer in served)

    @invariant()
    def the_journal_tells_what_a_restart_must_bring_back(self) -> None:
        self._read_journal()
        alive: dict[Stock, set[Reference]] = {
            queue: {found for found in everything(queue) if found.message.terms.persistent}
            for queue in self.wiring.queues.values()
            if queue.template.persistent
        }
        for dead in self.wiring._agenda.graveyard:
            if dead.queue in alive and dead.reference.message.terms.persistent and dead.reference.sequence:
                alive[dead.queue].add(dead.reference)
        assert {queue: book for queue, book in self.book.items() if book} == {
            queue: found for queue, found in alive.items() if found
        }

    def _read_journal(self) -> None:
        journal = self.journal
        for queue, reference in journal.added:
            book = self.book.setdefault(queue, set())
            assert reference not in book
            book.add(reference)
        for queue, reference in journal.changed:
            assert reference in self.book[queue]
        for queue, reference in journal.removed:
            self.book[queue].remove(reference)
        for queue in journal.destroyed:
            self.book.pop(queue, None)
        for notes in (journal.added, journal.changed, journal.removed, journal.destroyed):
            notes.clear()

    def teardown(self) -> None:
        """When everything is destroyed, no reference is left."""
        connections: dict[Connection, None] = dict.fromkeys(
            ledger.connection for ledger in self.ledgers_opened
        )
        for queue in list(self.wiring.queues.values()):
            self.wiring.destroy_queue(queue)
        for connection in connections:
            self.wiring.disconnect(connection, self.now)
        self.wiring.deliver(self.now)
        assert all(message.references == 0 for message in self.messages.values())


WiringMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
TestWiring = WiringMachine.TestCase
