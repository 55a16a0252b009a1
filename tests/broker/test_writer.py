"""The writer: one batch after the other, who is told, and what happens when the disk will not."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING

import pytest

from penstock.broker import Writer
from penstock.broker import writer as writing
from penstock.broker.definitions import Definitions
from penstock.broker.records import Records
from penstock.errors import StoreError, StoreFull
from penstock.store import MemoryStore
from tests.broker.support import Bench, bodies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.store import Batch


class Sick(MemoryStore):
    """A store whose disk is full as long as `error` is set, and that has so much to tidy."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.untidy = 0
        self.batches: list[int] = []
        self.tidied = 0

    def write(self, batch: Batch) -> None:
        if self.error is not None:
            raise self.error
        self.batches.append(batch.number)
        super().write(batch)

    def tidy(self) -> bool:
        self.tidied += 1
        if self.error is not None:
            raise self.error
        self.untidy -= 1
        return self.untidy > 0


@pytest.fixture
def store() -> Sick:
    return Sick()


@pytest.fixture
def bench(store: Sick, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(writing, "RETRY_IN", 0.0)
    made = Bench(store)
    made.queue()
    made.finish()
    store.batches.clear()
    store.tidied = 0
    yield made
    made.leave()


# Group commit


def test_what_gathers_while_a_batch_is_written_makes_the_next_one(bench: Bench, store: Sick) -> None:
    for body in "1234":
        bench.send(body)
        bench.turn()
    assert (store.batches, len(bench.thread.jobs)) == ([], 1)
    assert repr(bench.broker.writer) == "<Writer writing, 1 written>"
    while bench.work():
        pass
    assert store.batches == [2, 3]
    assert repr(bench.broker.writer) == "<Writer idle, 3 written>"


def test_who_waits_is_told_when_its_batch_is_written_and_not_before(bench: Bench) -> None:
    told: list[str] = []
    bench.broker.writer.on_told = lambda: told.append("flush")
    bench.send("1")
    assert bench.broker.after_write(bench) == 2
    assert bench.broker.after_write(bench) == 2  # once is enough
    bench.turn()
    bench.send("2")
    assert bench.broker.after_write(bench) == 3
    bench.turn()
    assert (bench.told, told) == ([], [])
    bench.work()
    assert (bench.told, told) == ([2], ["flush"])
    bench.finish()
    assert (bench.told, told) == ([2, 3], ["flush", "flush"])


def test_what_came_and_went_is_safe_at_once(bench: Bench, store: Sick) -> None:
    bench.send("1")
    found = bench.get(bench.queue())
    found.consumer.ledger.ack(1)
    bench.broker.after_write(bench)
    bench.turn()
    assert (bench.told, store.batches, len(bench.thread.jobs)) == ([2], [], 0)


def test_who_waits_for_nothing_is_told_at_once(bench: Bench) -> None:
    bench.broker.after_write(bench)
    bench.turn()
    assert bench.told == [2]


# Tidying


def test_the_store_is_tidied_after_each_batch_and_as_long_as_it_says_so(bench: Bench, store: Sick) -> None:
    store.untidy = 5
    bench.send("1")
    bench.finish()
    assert store.tidied == 5
    bench.send("2")
    bench.finish()
    assert store.tidied == 6


def test_the_thread_rests_while_others_work(
    bench: Bench, store: Sick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.broker.writer.AT_WORK", 60.0)
    monkeypatch.setattr("penstock.broker.writer.REST", 1e9)
    store.untidy = 5
    bench.send("1")
    bench.finish()
    assert store.tidied == 1
    bench.send("2")
    bench.finish()
    assert store.tidied == 2


def test_what_is_to_be_written_comes_before_the_rest_of_the_tidying(bench: Bench, store: Sick) -> None:
    store.untidy = 5
    bench.send("1")
    bench.turn()
    bench.work()
    bench.send("2")
    bench.turn()
    bench.work()
    assert (store.batches, store.tidied) == ([2], 1)
    bench.work()
    assert store.batches == [2, 3]
    bench.finish()
    assert store.tidied == 5


def test_a_store_that_cannot_be_tidied_is_left_untidy(
    bench: Bench, store: Sick, caplog: pytest.LogCaptureFixture
) -> None:
    bench.send("1")
    bench.turn()
    bench.work()
    store.error = StoreError("disk on fire")
    with caplog.at_level(logging.WARNING):
        bench.work()
    assert "disk on fire" in caplog.text


# Trouble


@pytest.mark.parametrize("error", [StoreFull("no room"), RuntimeError("no room")])
def test_a_batch_is_tried_until_it_can_be_written(bench: Bench, store: Sick, error: Exception) -> None:
    troubles: list[StoreError | None] = []
    bench.broker.writer.on_trouble = troubles.append
    store.error = error
    bench.send("1")
    bench.broker.after_write(bench)
    bench.turn()
    for _ in range(3):
        bench.work()
        bench.run()
    bench.send("2")
    bench.turn()
    assert (bench.told, store.batches) == ([], [])
    assert repr(bench.broker.writer) == "<Writer in trouble, 1 written>"
    store.error = None
    bench.finish()
    bench.finish()
    assert (bench.told, store.batches) == ([2], [2, 3])
    assert all(isinstance(trouble, StoreError) for trouble in troubles[:-1])
    assert (str(troubles[0]), troubles[-1], troubles.count(None)) == ("no room", None, 1)


# The end


def test_the_end_writes_what_is_left(bench: Bench, store: Sick) -> None:
    bench.send("1")
    bench.turn()
    bench.send("2")
    bench.close()
    assert store.batches == [2, 3]


def test_with_nothing_left_it_ends_at_once(bench: Bench, store: Sick) -> None:
    bench.close()
    assert store.batches == []


@pytest.mark.parametrize("recovers", [True, False])
def test_in_trouble_it_tries_once_more_and_gives_up(bench: Bench, store: Sick, *, recovers: bool) -> None:
    store.error = StoreFull("no room")
    bench.send("1")
    bench.broker.after_write(bench)
    bench.turn()
    bench.work()
    if recovers:
        store.error = None
    bench.close()
    assert (bench.told, store.batches) == (([2], [2]) if recovers else ([], []))


def test_it_does_not_wait_for_its_next_try(
    bench: Bench, store: Sick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "RETRY_IN", 1e6)
    store.error = StoreFull("no room")
    bench.send("1")
    bench.turn()
    bench.work()
    store.error = None
    bench.close()
    assert store.batches == [2]


def test_what_was_given_up_was_never_confirmed_and_all_before_it_is_there(bench: Bench, store: Sick) -> None:
    bench.send("1")
    bench.finish()
    store.error = StoreFull("no room")
    bench.send("2")
    bench.close()
    store.error = None
    assert bodies(bench.killed().host().wiring.queue("q")) == ["1"]


def test_a_writer_that_closes_tidies_no_more() -> None:
    class Untidy(MemoryStore):
        def tidy(self) -> bool:
            began.set()
            assert goes_on.wait(60)
            return True

    began, goes_on = threading.Event(), threading.Event()
    mishaps: list[object] = []

    async def story() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: mishaps.append(context))
        store = Untidy()
        writer = Writer(store, Records(store, Definitions()))
        writer._tidy()
        await loop.run_in_executor(None, began.wait, 60)
        # The thread is told to end while the store is at it, and the store then says that there is more.
        threading.Timer(0.05, goes_on.set).start()
        await writer.close()
        await asyncio.sleep(0.01)

    asyncio.run(story())
    assert mishaps == []
