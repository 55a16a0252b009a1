"""What a look shows: values whose numbers can be told in a row."""

from __future__ import annotations

from penstock.broker import Counts, Depths, Growth, QueueStatistics, Rates, ReaderStatistics, Totals
from penstock.store import MemoryStore
from tests.broker.support import Bench


def test_the_figures_of_a_queue_and_of_a_host_are_its_counts_and_then_its_depths() -> None:
    counts, depths = Counts(1, 2, 3, 4, 5, 6), Depths(7, 8, 9, 10, 11)
    queue = QueueStatistics("q", counts, Rates(), depths, Growth(), 0, None, (), {})
    assert queue.figures == Totals(counts, Rates(), depths, Growth()).figures == tuple(range(1, 12))
    assert Totals().figures == (0,) * 11


def test_a_reader_tells_how_far_it_is() -> None:
    bench = Bench(MemoryStore())
    bench.queue()
    bench.send(*"abc")
    bench.turn()
    reader = bench.host().readers.open("q", "r")
    reader.take(2, 100, bench.clock.now())
    seen = ReaderStatistics.of(bench.host().wiring.queues["", "q"].readers["r"], bench.clock.now() + 4.0)
    assert (seen.name, seen.committed, seen.taken, seen.uncommitted, seen.waiting) == ("r", 0, 2, 2, 1)
    assert seen.age == 4.0
    bench.leave()
