"""Recovery: a broker as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.broker import recovery
from penstock.wiring import Overflow, State
from tests.broker.support import bodies, durable

if TYPE_CHECKING:
    import pytest

    from tests.broker.support import Bench


def test_an_empty_store_is_an_empty_broker(bench: Bench) -> None:
    assert bench.broker.hosts == {}


def test_definitions_come_back_as_they_were(bench: Bench) -> None:
    for name in ("/", "other"):
        host = bench.host(name)
        host.create_proxy("wild", "DEST-WILD", persistent=True, alternate="amq.fanout", remarks=b"\xff")
        host.create_proxy("forgotten", "FANOUT")
        queue = host.create_queue("q", persistent=True, max_length=7, now=0.0)
        host.create_queue("forgotten", now=0.0)
        host.register(queue, "wild", "a.#", b"1")
        host.register(queue, "wild", "a.#", b"2")
        host.register(host.wiring.proxy("wild"), "amq.topic", "x", b"3")
    bench.finish()
    after = bench.killed()
    assert set(after.broker.hosts) == {"/", "other"}
    for name, host in after.broker.hosts.items():
        assert set(host.wiring.queues) == {("", "q")}
        assert host.registrations == bench.host(name).registrations
        assert host.wiring.proxy("wild").differences(bench.host(name).wiring.proxy("wild")) == []
        assert host.wiring.proxy("wild").remarks == b"\xff"
        assert host.wiring.queue("q").template == bench.host(name).wiring.queue("q").template


def test_nothing_is_written_again(bench: Bench) -> None:
    bench.host().register(bench.queue(), "amq.topic", "#", b"")
    bench.finish()
    assert bench.killed().broker.records.gather() is None


def test_what_is_created_again_in_the_same_way_is_the_same(bench: Bench) -> None:
    bench.queue(max_length=5)
    bench.finish()
    after = bench.killed(window=99)
    assert after.queue(max_length=5).template.window == 99


def test_counting_goes_on_where_it_was(bench: Bench) -> None:
    queue = bench.queue()
    bench.send(*map(str, range(10)))
    bench.finish()
    ledger = bench.host().wiring.connect("client").open_ledger()
    queue.get(ledger, 0.0, acks=False)
    bench.finish()
    after = bench.killed()
    after.send("new")
    q = after.host().wiring.queue("q")
    assert bodies(q) == [*map(str, range(1, 10)), "new"]
    assert [found.sequence for found in q.peek()] == list(range(2, 12))
    after.finish()
    assert bodies(after.killed().host().wiring.queue("q")) == bodies(q)


def test_only_counts_are_read_until_somebody_wants_more(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.queue()
    bench.send(*map(str, range(10)))
    bench.finish()
    monkeypatch.setattr("penstock.broker.records.Records.load", None)
    assert bench.killed().host().wiring.queue("q").ready == 10


def test_what_stood_aside_stands_there_again_page_by_page(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "PAGE", 2)
    queue = bench.queue()
    bench.send(*"abcde", delay_in=50.0)
    bench.send(*"12345")
    ledger = bench.host().wiring.connect("client").open_ledger()
    for tag in range(1, 6):
        queue.get(ledger, bench.clock.now())
        ledger.bury(tag)
    bench.send("ready")
    bench.finish()
    q = bench.killed().host().wiring.queue("q")
    assert (bodies(q), bodies(q, State.DELAYED)) == (["ready"], list("abcde"))
    assert bodies(q, State.BURIED) == list("12345")


def test_the_weight_is_that_of_what_is_ready(bench: Bench) -> None:
    queue = bench.queue(max_bytes=10, overflow=Overflow.REJECT_PUBLISH)
    bench.send("aaaa")
    ledger = bench.host().wiring.connect("client").open_ledger()
    queue.get(ledger, bench.clock.now())
    ledger.bury(1)
    bench.send("bbb", delay_in=50.0)
    bench.send("cc")
    bench.finish()
    after = bench.killed()
    q = after.host().wiring.queue("q")
    assert q.waiting.bytes == 2
    q.kick(after.clock.now())
    assert q.waiting.bytes == 6


def test_what_became_due_meanwhile_is_due_now(bench: Bench) -> None:
    bench.queue()
    bench.send("1", delay_in=50.0)
    bench.send("2", expires_in=50.0)
    bench.finish()
    after = bench.killed(away=60.0)
    after.run(after.broker._tick)
    assert bodies(after.host().wiring.queue("q")) == ["1"]


def test_a_stop_in_good_order_brings_back_the_same(bench: Bench) -> None:
    bench.queue()
    bench.send(*"0123456789")
    before = durable(bench.broker, bench.clock.now())
    done = bench.loop.create_task(bench.broker.writer.close())
    while not done.done():
        bench.run(bench.thread.work)
    after = bench.killed()
    assert durable(after.broker, after.clock.now()) == before


def test_what_a_host_has_counted_comes_back(bench: Bench) -> None:
    bench.host().count("job", 41)
    queue = bench.host().create_queue("q", persistent=True, now=0.0)
    bench.finish()
    after = bench.killed()
    assert (after.host().counted("job"), after.host().counted("other")) == (41, 0)
    assert after.host().create_queue("new", persistent=True, now=0.0).stored == queue.stored + 1
