"""The broker: turns, time, virtual hosts, and the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.broker import Broker
from penstock.clock import SystemClock
from penstock.store import MemoryStore
from tests.broker.support import Bench, bodies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring import Consumer, Delivery, Queue


class Session:
    """Somebody who consumes, and sends at the end of the turn."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.got: list[str] = []
        self.log: list[str] = []

    def deliver(self, delivery: Delivery) -> None:
        self.got += [bytes(found.message.body).decode() for found in delivery.references]
        self.bench.broker.will_flush(self)

    def cancelled(self) -> None:
        self.log.append("cancelled")

    def flush(self) -> None:
        self.log.append(f"flush {len(self.got)}")

    def consume(self, queue: Queue, **how: object) -> Consumer:
        wiring = self.bench.host().wiring
        ledger = wiring.connect("client").open_ledger()
        return wiring.consume(ledger, queue, "c", now=self.bench.clock.now(), remarks=self, **how)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench(MemoryStore())
    yield made
    made.leave()


# Virtual hosts


def test_a_virtual_host_begins_with_the_predefined_proxies(bench: Bench) -> None:
    host = bench.broker.create_host("/")
    assert bench.broker.create_host("/") is host
    assert "amq.topic" in host.wiring.proxies
    assert repr(bench.broker) == "<Broker of 1 virtual hosts, batch 1 gathering>"


def test_a_virtual_host_goes_with_all_that_is_in_it(bench: Bench) -> None:
    host = bench.host("gone")
    host.create_proxy("first", "FANOUT", dynamic=True, persistent=True)
    queue = host.create_queue("q", persistent=True, now=0.0)
    host.register(queue, "first", None, b"")
    bench.finish()
    bench.broker.delete_host("gone")
    bench.finish()
    assert "gone" not in bench.broker.hosts
    assert queue.destroyed
    assert not any("gone" in key for _, key, _ in bench.store.definitions())


def test_virtual_hosts_share_nothing_but_the_disk(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.host(name).create_queue("q", persistent=True, now=0.0)
    bench.host("a").wiring.queue("q").purge()
    assert [bench.host(name).wiring.queue("q").stored for name in ("a", "b")] == [1, 2]


# Turns


def test_a_turn_delivers_then_flushes_each_once(bench: Bench) -> None:
    session = Session(bench)
    session.consume(bench.queue())
    bench.send("1", "2", "3")
    bench.turn()
    assert (session.got, session.log) == (["1", "2", "3"], ["flush 3"])


def test_what_does_not_fit_one_turn_comes_in_the_next(bench: Bench) -> None:
    queue = bench.queue(persistent=False)
    session = Session(bench)
    session.consume(queue)
    bench.send(*map(str, range(600)))
    bench.broker.refresh()
    bench.run(bench.broker.turn)
    assert len(session.got) == 600
    assert len(session.log) > 1


def test_who_loses_its_queue_is_told_though_nothing_is_delivered(bench: Bench) -> None:
    queue = bench.queue()
    session = Session(bench)
    session.consume(queue)
    bench.turn()
    bench.host().wiring.destroy_queue(queue)
    bench.turn()
    assert session.log == ["cancelled"]


def test_one_sessions_mistake_is_not_anothers(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    sessions = [Session(bench), Session(bench)]
    for session in sessions:
        session.consume(bench.queue(), prefetch=1)
    sessions[0].deliver = None  # type: ignore[method-assign, assignment]
    bench.send("1", "2")
    bench.turn()
    assert sessions[1].got == ["2"]
    assert "internal error" in caplog.text


def test_a_turn_within_a_turn_is_no_turn(bench: Bench) -> None:
    session = Session(bench)
    session.flush = bench.broker.turn  # type: ignore[method-assign]
    session.consume(bench.queue())
    bench.send("1")
    bench.turn()
    assert session.got == ["1"]


def test_what_somebody_asks_for_is_looked_at_after_what_is_due(bench: Bench) -> None:
    queue = bench.queue(max_length=1)
    bench.send("1", "2")
    bench.send("3", delay_in=5.0)
    bench.broker.settle(bench.host())
    assert bodies(queue) == ["2"]
    bench.advance(5.0)
    bench.broker.refresh()
    bench.broker.settle(bench.host())
    assert bodies(queue) == ["2", "3"]


# Time


def test_the_timer_is_set_for_the_next_thing_due(bench: Bench) -> None:
    queue = bench.queue()
    bench.send("1", delay_in=1e-9)
    bench.send("2", delay_in=500.0)
    bench.turn()
    bench.advance(1.0)
    for _ in range(3):
        bench.run()
    assert bodies(queue) == ["1"]
    assert bench.broker._timer_at == bench.clock.now() + 499.0
    bench.turn()  # the same timer
    queue.kick(bench.clock.now(), 9)
    bench.turn()
    bench.advance(600.0)
    bench.run(bench.broker._tick)
    assert bodies(queue) == ["1", "2"]


# The disk


def test_what_has_to_be_written_is_told_from_what_has_not(bench: Bench) -> None:
    bench.queue()
    bench.finish()
    bench.send("1", persistent=False)
    assert bench.broker.unwritten == 0
    bench.send("2")
    assert bench.broker.unwritten == 1


def test_a_token_is_not_guessed(bench: Bench) -> None:
    assert bench.broker.token() != bench.broker.token()


def test_after_the_end_nothing_turns_any_more(bench: Bench) -> None:
    bench.queue()
    bench.send("1", delay_in=5.0)
    bench.turn()
    bench.close()
    bench.broker.turn()
    assert len(bench.thread.jobs) == 0


def test_on_a_thread_of_its_own_it_does_the_same() -> None:
    async def story() -> list[str]:
        store = MemoryStore()
        broker = Broker(SystemClock(), store)
        host = broker.create_host("/")
        host.create_queue("q", persistent=True, now=broker.now)
        broker.turn_soon()
        broker.turn_soon()
        await asyncio.sleep(0)
        await broker.close()
        return [key for _, key, _ in store.definitions()]

    assert "/\0q" in asyncio.run(story())
