"""Statistics: what a look shows, and rates between two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.broker import Counts, Depths, Passed, Rates, ReaderStatistics
from penstock.broker import statistics as module
from penstock.broker.statistics import SPAN, STALE
from penstock.store import MemoryStore
from penstock.wiring.pieces import at_once
from tests.broker.support import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.broker import HostStatistics


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench(MemoryStore())
    yield made
    made.leave()


def look(bench: Bench) -> HostStatistics:
    return bench.broker.statistics.snapshot(bench.clock.now())["/"]


def test_a_broker_in_which_nothing_happened(bench: Bench) -> None:
    bench.queue()
    host = look(bench)
    assert (host.counts, host.rates, host.depths) == (Counts(), Rates(), Depths())
    assert (host.queues["q"].waited, host.queues["q"].consumers, sum(host.queues["q"].waits)) == (None, 0, 0)
    assert repr(bench.broker.statistics) == "<Statistics of 1 virtual hosts>"


def test_what_has_happened_and_what_stands_where(bench: Bench) -> None:
    queue = bench.queue()
    bench.send(*"abcdef")
    bench.send("late", delay_in=500.0)
    bench.send("mortal", expires_in=2.0)
    bench.turn()
    ledger = bench.host().wiring.connect("client").open_ledger()
    bench.advance(1.5)
    for _ in range(5):
        queue.get(ledger, bench.clock.now())
    ledger.ack(1)
    ledger.nack(2, bench.clock.now())
    ledger.reject(3, bench.clock.now())
    ledger.bury(4)
    bench.advance(1.0)
    bench.run(bench.broker._tick)
    shown = look(bench)
    assert shown.counts == Counts(published=8, delivered=5, acked=1, redelivered=1, expired=1, dead=2)
    assert shown.depths == Depths(ready=2, held=1, delayed=1, buried=1)
    assert shown.queues["q"].counts == shown.counts
    assert (shown.queues["q"].waited, shown.queues["q"].waits[3]) == (2.5, 5)


def test_readers_show_how_far_they_are(bench: Bench) -> None:
    bench.queue()
    bench.send(*"abcde")
    bench.turn()
    reader = bench.host().readers.open("q", "r")
    assert look(bench).queues["q"].readers["r"] == ReaderStatistics("r", 0, 0, 0, 5, 0.0)
    bench.advance(2.0)
    reader.take(4, 100, bench.clock.now())
    reader.commit(1)
    shown = look(bench)
    assert shown.queues["q"].readers == {"r": ReaderStatistics("r", 1, 4, 3, 1, 2.0)}
    assert (shown.depths, shown.counts.delivered, shown.counts.acked) == (Depths(ready=1, taken=3), 4, 1)
    reader.commit(reader.take(9, 100, bench.clock.now()))
    assert look(bench).queues["q"].readers["r"].age is None


def test_a_virtual_host_counts_messages_its_queues_count_references(bench: Bench) -> None:
    for name in "ab":
        bench.host().register(bench.queue(name), "amq.fanout", None, b"")
    bench.send("1", "2", proxy="amq.fanout")
    bench.send("lost", to="nowhere")
    shown = look(bench)
    assert shown.counts.published == 3
    assert [shown.queues[name].counts.published for name in "ab"] == [2, 2]


def test_what_a_queue_counted_is_not_forgotten_with_it(bench: Bench) -> None:
    queue = bench.queue()
    bench.send("1", "2")
    found = bench.get(queue)
    found.consumer.ledger.ack(1)
    bench.host().wiring.destroy_queue(queue)
    bench.turn()
    shown = look(bench)
    assert (shown.counts, shown.queues) == (Counts(published=2, delivered=1, acked=1), {})


def test_after_a_restart_counting_begins_anew_and_what_waits_has_waited_since(bench: Bench) -> None:
    bench.queue()
    bench.send(*"123")
    bench.finish()
    after = bench.killed()
    after.turn()
    after.advance(7.0)
    shown = look(after).queues["q"]
    assert (shown.counts, shown.depths.ready, shown.waited) == (Counts(), 3, 7.0)


# Rates


def test_a_rate_is_taken_between_two_looks(bench: Bench) -> None:
    bench.queue()
    bench.send("0")
    assert look(bench).rates == Rates()
    bench.send(*"1234")
    bench.advance(2.0)
    shown = look(bench)
    assert (shown.rates.published, shown.queues["q"].rates.published) == (2.0, 2.0)


def test_before_the_first_look_nobody_knows_a_rate(bench: Bench) -> None:
    queue = bench.queue()
    bench.send(*"abc")
    bench.advance(2.0)
    assert bench.broker.statistics.queue(queue, bench.clock.now()).rates == Rates()


def test_however_often_somebody_looks_it_is_taken_over_a_while(bench: Bench) -> None:
    bench.queue()
    look(bench)
    for _ in range(40):
        bench.advance(SPAN / 10)
        bench.send("x")
        rate = look(bench).rates.published
    assert rate == pytest.approx(10 / SPAN)


def test_when_it_stops_the_rate_goes_down(bench: Bench) -> None:
    bench.queue()
    look(bench)
    bench.send("x")
    for _ in range(3):
        bench.advance(SPAN)
        rate = look(bench).rates.published
    assert rate == 0.0


def test_what_was_not_there_at_the_last_look_has_counted_from_nothing_since(bench: Bench) -> None:
    bench.host()
    look(bench)
    bench.queue()
    bench.send(*"ab")
    bench.advance(SPAN - 1)
    assert look(bench).queues["q"].rates.published == pytest.approx(2 / (SPAN - 1))


def test_a_look_of_long_ago_says_nothing_about_now(bench: Bench) -> None:
    bench.queue()
    look(bench)
    bench.send(*"ab")
    bench.advance(STALE + 1)
    assert look(bench).rates == Rates()
    bench.send(*"abc")
    bench.advance(3.0)
    assert look(bench).rates.published == pytest.approx(1.0)


def test_what_is_published_to_a_proxy_is_counted(bench: Bench) -> None:
    statistics, proxy = bench.broker.statistics, bench.host().wiring.proxy("")
    bench.queue()
    statistics.look(bench.clock.now())
    bench.send(*"abc")
    bench.advance(2.0)
    assert statistics.proxy(proxy, bench.clock.now()) == (Passed(3, 3), (1.5, 1.5))
    assert at_once(statistics.totals(bench.host(), bench.clock.now())).counts.published == 3


# Before


def samples(bench: Bench, *moments: float) -> list[tuple[float, int, int]]:
    """When, how many had been published to the queue, and how many stood in it."""
    now, statistics = bench.clock.now(), bench.broker.statistics
    queue = bench.host().wiring.queues["", "q"]
    told = statistics.samples(queue, statistics.queue(queue, now).figures, moments, now)
    return [(at, values[0], sum(values[6:])) for at, values in told]


def test_what_was_there_at_a_moment_is_told_afterwards(bench: Bench) -> None:
    queue = bench.queue()
    began = bench.clock.now()
    look(bench)
    for _ in range(4):
        bench.send(*"ab")
        bench.advance(SPAN)
        look(bench)
    queue.purge()
    bench.advance(SPAN)
    moments = [began + SPAN * number for number in (4, 2, 0)]
    assert samples(bench, *moments) == [(moments[0], 8, 8), (moments[1], 4, 4), (moments[2], 0, 0)]
    # Between two looks it has gone straight from one to the other, and the present is the last of them.
    assert samples(bench, began + 2.5 * SPAN) == [(began + 2.5 * SPAN, 5, 5)]
    assert samples(bench, bench.clock.now()) == [(bench.clock.now(), 8, 0)]


def test_what_has_not_changed_was_always_as_it_is(bench: Bench) -> None:
    bench.queue()
    bench.send(*"abc")
    began = bench.clock.now()
    look(bench)
    for _ in range(3):
        bench.advance(SPAN)
        look(bench)
    assert samples(bench, began + SPAN, began) == [(began + SPAN, 3, 3), (began, 3, 3)]
    assert repr(bench.broker.statistics._history) == "<History of 0 things, 0 left out>"


def test_nothing_is_told_of_the_time_before_the_first_look_or_after_now(bench: Bench) -> None:
    bench.queue()
    assert samples(bench, bench.clock.now()) == []
    bench.advance(10.0)
    look(bench)
    now = bench.clock.now()
    assert samples(bench, now + 1, now, now - 1) == [(now, 0, 0)]


def test_what_others_count_has_rates_and_a_past_too(bench: Bench) -> None:
    bench.host()
    statistics, line, carried = bench.broker.statistics, object(), [0, 0]
    statistics.sources.append(lambda: [(line, (carried[0], carried[1]))])
    began = bench.clock.now()
    look(bench)
    carried[:] = 50, 5
    bench.advance(SPAN)
    look(bench)
    now = bench.clock.now()
    assert statistics.rates(line, (50, 5), now) == (50 / SPAN, 5 / SPAN)
    assert statistics.samples(line, (50, 5), [now, began], now) == [(now, [50, 5]), (began, [0, 0])]


def test_a_look_is_taken_in_slices_and_no_second_one_begins_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLICE", 3)
    for name in "abcdefg":
        bench.queue(name)
    statistics = bench.broker.statistics
    work = statistics.looking(SPAN)
    next(work)
    bench.host().wiring.destroy_queue(bench.host().wiring.queues["", "g"])
    assert not statistics.is_due(SPAN * 3)
    assert len(list(work)) > 2
    assert statistics.is_due(SPAN * 3)


def test_the_more_there_is_to_look_at_the_rarer_it_is_looked_at(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACE", 0.5)
    bench.queue()
    look(bench)
    now, seen = bench.clock.now(), len(bench.broker.statistics._last.values)
    assert not bench.broker.statistics.is_due(now + seen * 2 - 1)
    assert bench.broker.statistics.is_due(now + seen * 2)


def test_what_does_not_change_from_one_look_to_the_next_is_idle_since_the_last_change(bench: Bench) -> None:
    statistics, queue = bench.broker.statistics, bench.queue()

    def idle_since() -> float | None:
        return statistics.maybe_idle_since(queue, statistics.queue(queue, bench.clock.now()).figures)

    look(bench)
    assert idle_since() is None, "nobody can tell after one look"
    bench.advance(SPAN)
    look(bench)
    begun = bench.clock.now() - SPAN
    assert idle_since() == begun
    bench.send("a")
    assert idle_since() is None
    for _ in range(2):
        bench.advance(SPAN)
        look(bench)
    assert idle_since() == bench.clock.now() - SPAN


def test_what_is_gone_is_not_remembered_as_changed(bench: Bench) -> None:
    statistics, queue = bench.broker.statistics, bench.queue()
    look(bench)
    bench.host().wiring.destroy_queue(queue)
    bench.advance(SPAN)
    look(bench)
    assert queue not in statistics._changed_at
