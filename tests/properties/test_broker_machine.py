"""A broker under random traffic, killed at any commit: what was confirmed comes back as it was, once.

The writer's thread works by hand, so a kill can come before a batch is written, after it and before
anybody was told, and at every step of what follows. What must come back is a photograph of the live
wiring, taken when the batch was gathered: the journal and the store are never asked.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from penstock.clock import VirtualClock
from penstock.store import SqliteStore
from penstock.wiring import DeadLetters, Overflow, State
from tests.broker.support import Bench, durable, everything, photocopy

if TYPE_CHECKING:
    from penstock.store import Batch
    from penstock.wiring import Ledger, Queue, Reference

HOME = DeadLetters("amq.fanout")
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "mortal": {"expires_in": 9.0, "delivery_limit": 1, "dead_letters": HOME},
    "urgent": {"most_urgent": 3, "lease_in": 5.0},
    "short": {"max_length": 3, "dead_letters": HOME},
    "light": {"max_bytes": 12, "overflow": Overflow.REJECT_PUBLISH},
    "forgetful": {"persistent": False},
}
TERMS = st.fixed_dictionaries(
    {
        "persistent": st.sampled_from([True, True, False]),
        "priority": st.sampled_from([0, 0, 0, 5]),
        "expires_in": st.sampled_from([None, None, None, 2.0]),
        "delay_in": st.sampled_from([0.0, 0.0, 0.0, 4.0]),
        "group": st.sampled_from([None, None, "g"]),
    }
)


class Told:
    """A publisher, or somebody who acked: waits for its batch."""

    def __init__(self, told: set[tuple[Queue, int]], about: set[tuple[Queue, int]]) -> None:
        self._told = told
        self._about = about

    def written(self, batch: int) -> None:
        self._told |= self._about


class BrokerMachine(RuleBasedStateMachine):
    """Random traffic through one broker on disk."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="penstock-machine-"))
        self.copies = 0
        self.numbers = 0
        self._open(Bench(SqliteStore(self.folder / "0")))

    def _open(self, bench: Bench) -> None:
        self.bench = bench
        #: Batch → what must come back once it is written.
        self.photographs: dict[int, tuple[float, dict[str, Any]]] = {}
        self._photograph(0)
        self.ledger: Ledger = bench.host().wiring.connect("client").open_ledger()
        #: How many came back into each queue, and how many left it by a verb that it does not count.
        self.came_back = {queue: len(list(everything(queue))) for queue in self._queues()}
        self.left: Counter[Queue] = Counter()
        self.confirmed: set[tuple[Queue, int]] = set()
        self.acked: set[tuple[Queue, int]] = set()
        gather = bench.broker.records.gather

        def photographed(*, anyway: bool = False) -> Batch | None:
            batch = gather(anyway=anyway)
            if batch is not None:
                self._photograph(batch.number)
            return batch

        bench.broker.records.gather = photographed  # type: ignore[method-assign]
        #: The last batch on disk, whoever has heard of it.
        self.on_disk = 0
        write = bench.store.write

        def watched(batch: Batch) -> None:
            write(batch)
            self.on_disk = batch.number

        bench.store.write = watched  # type: ignore[method-assign]

    def _photograph(self, batch: int) -> None:
        self.photographs[batch] = self.now, durable(self.bench.broker, self.now)

    @initialize(kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4, unique=True))
    def queues(self, kinds: list[str]) -> None:
        self.bench.host().register(self.bench.queue("graves"), "amq.fanout", None, b"")
        for kind in kinds:
            self.bench.host().register(self.bench.queue(kind, **KINDS[kind]), "amq.topic", "#", b"#")
        self.bench.finish()

    @property
    def now(self) -> float:
        return self.bench.clock.now()

    def _queues(self) -> list[Queue]:
        return list(self.bench.host().wiring.queues.values())

    def _draw(self, data: st.DataObject) -> Queue:
        return data.draw(st.sampled_from(self._queues()))

    # Traffic

    @rule(data=st.data(), count=st.integers(1, 6), terms=TERMS, proxy=st.sampled_from(["", "", "amq.topic"]))
    def publish(self, data: st.DataObject, count: int, terms: dict[str, Any], proxy: str) -> None:
        bodies = [str(self.numbers + at + 1) for at in range(count)]
        self.numbers += count
        queue = self._draw(data)
        before = self.bench.broker.unwritten
        self.bench.send(*bodies, to=queue.name, proxy=proxy, **terms)
        if terms["persistent"] and self.bench.broker.unwritten != before:
            about = {
                (place, int(bytes(found.message.body)))
                for place in self._queues()
                for found in everything(place)
                if bytes(found.message.body).decode() in bodies and place.template.persistent
            }
            self.bench.broker.after_write(Told(self.confirmed, about))

    @rule(data=st.data(), pattern=st.sampled_from(["#", "plain"]))
    def register(self, data: st.DataObject, pattern: str) -> None:
        self.bench.host().register(self._draw(data), "amq.topic", pattern, pattern.encode())

    @rule(data=st.data(), pattern=st.sampled_from(["#", "plain"]))
    def unregister(self, data: st.DataObject, pattern: str) -> None:
        self.bench.host().unregister(self._draw(data), "amq.topic", pattern, pattern.encode())

    @rule(data=st.data(), times=st.integers(1, 4), acks=st.sampled_from([True, True, False]))
    def get(self, data: st.DataObject, times: int, *, acks: bool) -> None:
        queue = self._draw(data)
        for _ in range(times):
            got = queue.get(self.ledger, self.now, acks=acks)
            self.left[queue] += got is not None and not acks

    def _held(self, data: st.DataObject) -> tuple[int, Reference] | None:
        held = sorted(self.ledger.unsettled.items())
        return data.draw(st.sampled_from(held)) if held else None

    @rule(data=st.data(), up_to=st.booleans())
    def ack(self, data: st.DataObject, *, up_to: bool) -> None:
        if (held := self._held(data)) is not None:
            last = held[0]
            unsettled = self.ledger.unsettled.items()
            gone = [found for tag, found in unsettled if tag == last or (up_to and tag < last)]
            self.ledger.ack(last, up_to=up_to)
            about = {(found.consumer.queue, int(bytes(found.message.body))) for found in gone}
            self.bench.broker.after_write(Told(self.acked, about))

    @rule(
        data=st.data(),
        requeue=st.sampled_from([True, True, False]),
        delay_in=st.sampled_from([0.0, 0.0, 3.0]),
        priority=st.sampled_from([None, None, 1, 9]),
    )
    def nack(self, data: st.DataObject, *, requeue: bool, delay_in: float, priority: int | None) -> None:
        if (held := self._held(data)) is not None:
            self.ledger.nack(held[0], self.now, requeue=requeue, delay_in=delay_in, priority=priority)

    @rule(data=st.data(), requeue=st.booleans())
    def reject(self, data: st.DataObject, *, requeue: bool) -> None:
        if (held := self._held(data)) is not None:
            self.ledger.reject(held[0], self.now, requeue=requeue, error="no")

    @rule(data=st.data(), priority=st.sampled_from([None, None, 7]))
    def bury(self, data: st.DataObject, priority: int | None) -> None:
        if (held := self._held(data)) is not None:
            self.ledger.bury(held[0], priority=priority)

    @rule(data=st.data())
    def kick(self, data: st.DataObject) -> None:
        self._draw(data).kick(self.now, 2)

    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        queue = self._draw(data)
        self.left[queue] += queue.purge()

    @rule(data=st.data(), state=st.sampled_from([State.READY, State.DELAYED, State.BURIED]))
    def remove(self, data: st.DataObject, state: State) -> None:
        queue = self._draw(data)
        if references := list(queue.peek(state)):
            queue.remove(data.draw(st.sampled_from(references)))
            self.left[queue] += 1

    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        queue = self._draw(data)
        if queue.name in KINDS:
            self.bench.host().wiring.destroy_queue(queue)
            self.bench.queue(queue.name, **KINDS[queue.name])

    # Time, and the disk

    @rule(span=st.sampled_from([0.5, 2.0, 5.0]))
    def wait(self, span: float) -> None:
        self.bench.advance(span)
        self.bench.broker.refresh()
        self.bench.run(self.bench.broker._tick)

    @rule()
    def turn(self) -> None:
        self.bench.turn()

    @rule(times=st.integers(1, 3))
    def work(self, times: int) -> None:
        self.bench.turn()  # as every session ends
        for _ in range(times):
            self.bench.work()

    @rule()
    def finish(self) -> None:
        self.bench.finish()

    @rule(jobs=st.sampled_from([None, 0, 1, 2, 3, 9]))
    def kill(self, jobs: int | None) -> None:
        """Without a word, at once or after some jobs of the writer; who did not hear of them never does."""
        if jobs is not None:
            self.bench.turn()
            for _ in range(jobs):
                self.bench.work()
            self.bench.thread.work()
        assert isinstance(self.bench.store, SqliteStore)
        self.copies += 1
        store = photocopy(self.bench.store.folder, self.folder / str(self.copies))
        before, again = self.bench, Bench(store, VirtualClock(self.now))
        try:
            self._compare(again)
        finally:
            before.leave()
            self.bench = again
        self._open(again)

    def _compare(self, again: Bench) -> None:
        at, there = self.photographs[max(self.bench.broker.writer.written, self.on_disk)]
        assert durable(again.broker, at) == there
        back = {
            queue.name: [int(bytes(found.message.body)) for found in everything(queue)]
            for queue in again.host().wiring.queues.values()
        }
        assert all(len(set(numbers)) == len(numbers) for name, numbers in back.items() if name != "graves")
        for queue in self._queues():
            for found in everything(queue):
                number = int(bytes(found.message.body))
                assert (queue, number) not in self.confirmed or number in back[queue.name]
        for queue, number in self.acked:
            if not queue.destroyed and queue.name != "graves":
                assert number not in back.get(queue.name, [])

    # What must always hold

    @invariant()
    def the_live_queues_are_sound(self) -> None:
        for queue in self._queues():
            references = list(everything(queue))
            numbers = [int(bytes(found.message.body)) for found in references]
            if queue.name != "graves":
                assert len(set(numbers)) == len(numbers)
            assert queue.ready == len(list(queue.peek()))
            order = [(found.priority, found.sequence) for found in queue.peek()]
            assert order == sorted(order)
            if queue.waiting.weighed:
                assert queue.waiting.bytes == sum(found.message.size for found in queue.peek())

    @invariant()
    def nothing_is_lost_in_memory_or_behind_it(self) -> None:
        for queue in self._queues():
            tally = queue.tally
            came = self.came_back.get(queue, 0) + queue.sequence - tally.began
            gone = tally.acked + sum(tally.deaths.values()) + self.left[queue]
            assert len(list(everything(queue))) == came - gone

    def teardown(self) -> None:
        self.bench.leave()
        shutil.rmtree(self.folder)


BrokerMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40)
TestBroker = BrokerMachine.TestCase
