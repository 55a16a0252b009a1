"""Records: from the journal to rows, and what comes back of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.wiring import DeadLetters, State
from tests.broker.support import Bench, bodies

if TYPE_CHECKING:
    from penstock.store import Batch
    from penstock.wiring import Ledger, Queue


def back(bench: Bench, name: str = "q", state: State = State.READY) -> list[str]:
    """What a kill -9 would leave in a queue now."""
    bench.finish()
    return bodies(bench.killed().host().wiring.queue(name), state)


def held(bench: Bench, queue: Queue, count: int) -> Ledger:
    """A ledger with so many in hand, under tags from 1 on."""
    ledger = bench.host().wiring.connect("client").open_ledger()
    for _ in range(count):
        assert queue.get(ledger, bench.clock.now()) is not None
    return ledger


def drained(bench: Bench, queue: Queue) -> list[str]:
    ledger = bench.host().wiring.connect("client").open_ledger()
    got = []
    while (delivery := queue.get(ledger, bench.clock.now())) is not None:
        got.append(bytes(delivery.references[0].message.body).decode())
        ledger.ack(delivery.first_tag)
        bench.finish()
    return got


def gathered(bench: Bench) -> Batch:
    batch = bench.broker.records.gather()
    assert batch is not None
    return batch


# Coming and going


def test_what_was_written_comes_back(bench: Bench) -> None:
    bench.queue()
    bench.send("1", "2", "3")
    bench.send("forgettable", persistent=False)
    assert back(bench) == ["1", "2", "3"]


def test_what_was_acked_and_written_does_not(bench: Bench) -> None:
    queue = bench.queue()
    bench.send("1", "2", "3")
    bench.finish()
    held(bench, queue, 2).ack(2)
    assert back(bench) == ["1", "3"]


def test_what_comes_and_goes_in_one_batch_is_never_written(bench: Bench) -> None:
    queue = bench.queue()
    bench.finish()
    bench.send("1")
    held(bench, queue, 1).ack(1)
    assert not gathered(bench)


def test_nothing_noted_is_no_batch_unless_one_is_wanted(bench: Bench) -> None:
    bench.queue()
    bench.finish()
    records = bench.broker.records
    assert records.gather() is None
    number = records.batch.number
    wanted = records.gather(anyway=True)
    assert wanted is not None
    assert (bool(wanted), wanted.number, records.batch.number) == (False, number, number + 1)


def test_a_message_in_two_queues_is_written_once(bench: Bench) -> None:
    queues = [bench.queue(name) for name in ("a", "b")]
    for queue in queues:
        bench.host().register(queue, "amq.fanout", None, b"")
    bench.finish()
    bench.send("1", proxy="amq.fanout")
    batch = gathered(bench)
    assert (len(batch.plain_messages), len(batch.messages), len(batch.plain_references)) == (0, 1, 2)
    bench.store.write(batch)
    held(bench, queues[0], 1).ack(1)
    assert back(bench, "b") == ["1"]


def test_a_message_sent_once_more_is_another_to_the_store(bench: Bench) -> None:
    queue = bench.queue()
    (message,) = bench.send("1")
    bench.finish()
    bench.host().wiring.publish("", [message], 0.0)
    bench.finish()
    held(bench, queue, 1).ack(1)
    assert back(bench) == ["1"]


def test_one_that_has_died_and_not_arrived_is_still_written(bench: Bench) -> None:
    # As it would be if a batch were gathered between the two.
    queue = bench.queue(dead_letters=DeadLetters("amq.fanout"))
    bench.host().register(bench.queue("graves"), "amq.fanout", None, b"")
    bench.send("1", "2")
    held(bench, queue, 1).reject(1, 0.0)
    bench.store.write(gathered(bench))
    assert len(bench.broker.records.journal) == 0
    assert back(bench, "graves") == ["1"]


def test_a_dead_letter_moves_in_one_batch(bench: Bench) -> None:
    queue = bench.queue(dead_letters=DeadLetters("amq.fanout"))
    bench.host().register(bench.queue("graves"), "amq.fanout", None, b"")
    bench.send("1")
    bench.finish()
    held(bench, queue, 1).reject(1, 0.0)
    bench.host().wiring.deliver(0.0)
    batch = gathered(bench)
    assert (len(batch.removals), len(batch.messages), len(batch.plain_references)) == (1, 1, 1)


# Changes


def test_counts_places_and_times_come_back(bench: Bench) -> None:
    queue = bench.queue()
    bench.send("1", "2", "3", "4", priority=5)
    ledger = held(bench, queue, 4)
    ledger.reject(1, 0.0, requeue=True, error="no")
    ledger.nack(2, 1000.0, delay_in=50.0)
    ledger.bury(3)
    bench.finish()
    ledger.nack(4, 0.0)
    bench.finish()
    after = bench.killed()
    q = after.host().wiring.queue("q")
    first, last = q.peek()
    assert (first.failed, first.redelivered, first.acquired, first.notes and first.notes.error) == (
        1,
        1,
        1,
        "no",
    )
    assert (last.failed, last.redelivered) == (0, 1)
    (late,), (buried,) = q.peek(State.DELAYED), q.peek(State.BURIED)
    assert late.notes is not None
    assert (late.notes.due_at, buried.message.body) == (1050.0, b"3")


@pytest.mark.parametrize("apart", [True, False])
def test_another_priority_is_another_place(bench: Bench, *, apart: bool) -> None:
    queue = bench.queue()
    bench.send("1", "2", "3", priority=5)
    if apart:
        bench.finish()
    ledger = held(bench, queue, 2)
    ledger.nack(1, 0.0, priority=9)
    ledger.nack(2, 0.0, priority=1)
    bench.finish()
    # Those behind them must not be taken for each other.
    bench.send(*"abcdef", priority=1)
    bench.send(*"ghijkl", priority=9)
    bench.finish()
    assert bodies(queue) == ["2", *"abcdef", "3", "1", *"ghijkl"]
    ledger = held(bench, queue, 1)
    ledger.ack(1)
    assert drained(bench, queue) == [*"abcdef", "3", "1", *"ghijkl"]
    assert back(bench) == []


def test_what_was_kicked_is_not_put_off_again(bench: Bench) -> None:
    queue = bench.queue()
    bench.send("1", delay_in=500.0)
    bench.finish()
    queue.kick(bench.clock.now())
    bench.finish()
    after = bench.killed()
    after.broker.hosts["/"].wiring.tick(bench.clock.now())
    assert bodies(after.host().wiring.queue("q")) == ["1"]


# Behind the window


def test_what_does_not_fit_into_memory_waits_on_disk_in_order(bench: Bench) -> None:
    queue = bench.queue()
    everyone = [str(number) for number in range(30)]
    bench.send(*everyone[:20])
    bench.finish()
    bench.send(*everyone[20:], persistent=False)
    bench.finish()
    assert bodies(queue) == everyone
    # A store in memory never is opened again: it need not forget what overflowed.
    assert back(bench)[:20] == everyone[:20]
    assert drained(bench, queue) == everyone


def test_an_overflowed_message_stands_in_several_queues_by_itself(bench: Bench) -> None:
    queues = [bench.queue("a"), bench.queue("b"), bench.queue("c", persistent=False)]
    for queue in queues:
        bench.host().register(queue, "amq.fanout", None, b"")
    everyone = [str(number) for number in range(12)]
    bench.send(*everyone, proxy="amq.fanout", persistent=False)
    # Whoever is first must not take from the others what they have yet to read.
    for queue in queues:
        assert drained(bench, queue) == everyone
    bench.send(*everyone, proxy="amq.fanout", persistent=False)
    bench.finish()
    for queue in reversed(queues):
        assert drained(bench, queue) == everyone


def test_a_purge_goes_behind_the_window(bench: Bench) -> None:
    queue = bench.queue()
    bench.send(*map(str, range(20)))
    bench.finish()
    bench.send(*map(str, range(20)))
    assert queue.purge() == 40
    bench.send("new")
    assert back(bench) == ["new"]


# Queues


def test_a_destroyed_queue_is_dropped_with_all_that_was_to_be_written(bench: Bench) -> None:
    queue = bench.queue()
    bench.send("1", "2")
    bench.finish()
    ledger = held(bench, queue, 1)
    bench.send("3")
    ledger.nack(1, 0.0)
    number = queue.stored
    bench.host().wiring.destroy_queue(queue)
    bench.host().clear_away()
    batch = gathered(bench)
    assert (batch.dropped, batch.plain_references, batch.changes) == ([number], [], [])


def test_the_number_of_a_destroyed_queue_never_comes_again(bench: Bench) -> None:
    # Its rows are taken away later, whatever has come under its number since.
    bench.host().wiring.destroy_queue(bench.queue())
    bench.turn()
    bench.thread.work()
    after = bench.killed()
    queue = after.queue()
    after.send("1")
    after.finish()
    after.finish()
    last = after.killed()
    assert queue.stored == 2
    assert bodies(last.host().wiring.queue("q")) == ["1"]


def test_it_shows_what_it_has_noted(bench: Bench) -> None:
    bench.queue()
    bench.finish()
    bench.send("1")
    assert repr(bench.broker.records) == "<Records of 1 queues, 1 notes for <Batch 2: nothing>>"
