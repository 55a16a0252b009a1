"""Counts: what queues tell, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.broker import counts as module
from penstock.broker.counts import Counts, Depths, Passed, Sum, counts_of, figures_of, passed
from penstock.store import MemoryStore
from tests.broker.support import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench(MemoryStore())
    yield made
    made.leave()


def test_both_together() -> None:
    assert Counts(1, 2, 3).plus(Counts(10, 20, 30)) == Counts(11, 22, 33)
    assert Depths(1, 2).plus(Depths(10, 20)) == Depths(11, 22)


def test_a_queue_tells_what_came_and_what_stands_where(bench: Bench) -> None:
    queue = bench.queue()
    bench.send(*"abc")
    bench.send("late", delay_in=500.0)
    bench.get(queue)
    assert counts_of(queue) == Counts(published=4, delivered=1)
    assert figures_of(queue) == (*Counts(published=4, delivered=1), *Depths(ready=2, held=1, delayed=1))


def test_a_proxy_tells_what_came_and_to_how_many_queues_it_went(bench: Bench) -> None:
    host = bench.host()
    for name in "ab":
        host.register(bench.queue(name), "amq.fanout", None, b"")
    bench.send("1", "2", proxy="amq.fanout")
    bench.send("lost", to="nowhere")
    assert passed(host.wiring.proxy("amq.fanout")) == Passed(published=2, routed=4)
    assert passed(host.wiring.proxy("")) == Passed(published=1, routed=0)


def test_those_who_pass_on_to_others_count_the_queues_at_the_end(bench: Bench) -> None:
    host = bench.host()
    host.register(host.wiring.proxy("amq.topic"), "amq.fanout", None, b"")
    host.register(bench.queue(), "amq.topic", "#", b"")
    bench.send("1", proxy="amq.fanout")
    # As RabbitMQ has it: only where a message was sent to is told what became of it.
    assert passed(host.wiring.proxy("amq.fanout")) == Passed(1, 1)
    assert passed(host.wiring.proxy("amq.topic")) == Passed(0, 0)


def test_many_queues_are_added_up_some_at_a_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOGETHER", 3)
    total = Sum(bench.host())
    for number in range(10):
        queue = bench.queue(f"q{number}")
        bench.send("x", "y", to=queue.name)
        total.add(figures_of(queue))
    # Messages that were sent count as they stood when the sum was begun.
    assert total.figures() == (*Counts(), *Depths(ready=20))
    assert repr(total).startswith("<Sum (0, 0, ")
