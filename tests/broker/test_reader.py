"""A reader on a store: read again and again, by position, from memory or from there, over restarts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.broker import reader as module
from penstock.broker.forms import PlainForm
from penstock.broker.page import Page
from penstock.store import MemoryStore, SqliteStore
from penstock.wiring import State
from tests.broker.reading import in_memory, messages, opened, read, take
from tests.broker.support import NO_FRONT, Bench, bodies

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is written stays in memory, and pages are small."""
    monkeypatch.setattr(module, "WINDOW_BYTES", 0)
    monkeypatch.setattr(module, "PAGE", 2)


# Reading


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 99, {1: "a", 2: "b", 3: "c", 4: "d", 5: "e"}),
        (1, 4, {2: "b", 3: "c", 4: "d"}),  # from the middle of one handful to that of another
        (2, 3, {3: "c"}),
        (3, 3, {}),
        (5, 9, {}),
    ],
)
@pytest.mark.parametrize("narrowed", [False, True])
def test_a_range_is_read_as_often_as_wanted(
    bench: Bench,
    request: pytest.FixtureRequest,
    start: int,
    end: int,
    expected: dict[int, str],
    *,
    narrowed: bool,
) -> None:
    if narrowed:
        request.getfixturevalue("narrow")
    reader = opened(bench)
    bench.send(*"abcde")
    take(bench, reader, 3)
    take(bench, reader, 2)
    bench.finish()
    assert in_memory(reader) == (0 if narrowed else 5)
    assert [read(bench, reader, start, end) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize("narrowed", [False, True])
def test_each_says_whether_somebody_had_it_and_when_it_came(
    bench: Bench, request: pytest.FixtureRequest, *, narrowed: bool
) -> None:
    if narrowed:
        request.getfixturevalue("narrow")
    reader = opened(bench)
    bench.send("a")
    bench.turn()
    bench.advance(5.0)
    bench.send("b")
    bench.turn()
    held = bench.get(reader.queue)
    held.consumer.ledger.nack(1, bench.clock.now())
    bench.advance(5.0)
    take(bench, reader)
    bench.finish()
    found = messages(bench.loop.run_until_complete(reader.read(0, 9, NO_FRONT)))
    assert [(taken.redelivered, taken.arrived_at) for taken in found] == [(True, 1000.0), (False, 1005.0)]


@pytest.mark.usefixtures("narrow")
def test_neighbours_in_the_store_are_one_page_whenever_they_came(bench: Bench) -> None:
    reader = opened(bench)
    for pair in ("ab", "cd", "ef"):
        bench.send(*pair)
        bench.turn()
        bench.advance(5.0)
        take(bench, reader)
    bench.finish()
    assert len(reader.handfuls) == 3
    [page] = bench.loop.run_until_complete(reader.read(1, 5, PlainForm.number))
    assert isinstance(page, Page)
    assert [sequence + page.offset for sequence in page.sequences] == [2, 3, 4, 5]
    assert page.eras() == [(1000.0, 1), (1005.0, 2), (1010.0, 1)]


@pytest.mark.usefixtures("narrow")
def test_what_is_committed_while_somebody_reads_is_not_read(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"abcdefg")
    take(bench, reader, 3)
    bench.get(reader.queue)  # neighbours would be read at once
    take(bench, reader, 3)
    bench.finish()

    async def both() -> list[int]:
        reading = bench.loop.create_task(reader.read(0, 9, NO_FRONT))
        await asyncio.sleep(0)
        reader.commit(5)
        return [taken.position for taken in messages(await reading)]

    assert bench.loop.run_until_complete(both()) == [1, 2, 3, 6]


@pytest.mark.parametrize("window", [module.WINDOW_BYTES, 0])
def test_others_have_their_turn_while_much_is_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(module, "WINDOW_BYTES", window)
    monkeypatch.setattr(module, "PAGE", 2)
    reader = opened(bench)
    bench.send(*"abcdef")
    for _ in range(6):
        take(bench, reader, 1)
    bench.finish()

    async def turns() -> int:
        reading, turns = bench.loop.create_task(reader.read(0, 9, NO_FRONT)), 0
        while not reading.done():
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert bench.loop.run_until_complete(turns()) >= 4


# Durability


@pytest.mark.parametrize("narrowed", [False, True])
def test_what_is_taken_is_where_it_was_after_a_kill(
    bench: Bench, request: pytest.FixtureRequest, *, narrowed: bool
) -> None:
    if narrowed:
        request.getfixturevalue("narrow")
    reader = opened(bench)
    bench.send(*"abcdef")
    take(bench, reader, 4)
    bench.finish()
    reader.commit(1)
    bench.finish()
    after = bench.killed()
    again = after.host().readers.get("q", "r")
    assert read(after, again) == {2: "b", 3: "c", 4: "d"}
    assert (again.committed, again.taken, bodies(after.queue())) == (1, 4, ["e", "f"])
    assert [handful.stretch[:2] for handful in again.handfuls] == [(2, 3)]
    assert take(after, again, 1) == 5
    assert again.oldest_at == 1000.0


def test_a_take_that_was_not_written_has_not_happened(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab")
    bench.finish()
    take(bench, reader)
    after = bench.killed()
    again = after.host().readers.get("q", "r")
    assert (again.taken, read(after, again), bodies(after.queue())) == (0, {}, ["a", "b"])


def test_a_commit_that_was_written_is_for_ever_though_nothing_is_left(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab")
    reader.commit(take(bench, reader))
    bench.finish()
    after = bench.killed()
    again = after.host().readers.get("q", "r")
    assert (again.committed, again.taken, read(after, again), bodies(after.queue())) == (2, 2, {}, [])
    after.send("c")
    assert (take(after, again), read(after, again)) == (3, {3: "c"})


def test_transient_ones_leave_their_positions_empty(tmp_path: Path) -> None:
    bench = Bench(SqliteStore(tmp_path / "store"))
    reader = opened(bench)
    for number, persistent in enumerate([True, False, True, False]):
        bench.send(str(number), persistent=persistent)
    take(bench, reader)
    bench.finish()
    after = bench.killed()
    again = after.host().readers.get("q", "r")
    assert (again.taken, read(after, again)) == (4, {1: "0", 3: "2"})
    bench.leave()


@pytest.mark.usefixtures("narrow")
def test_transient_ones_make_room_in_memory_too(bench: Bench) -> None:
    reader = opened(bench)
    bench.host().register(bench.queue("other"), "amq.fanout", None, b"")
    bench.host().register(bench.queue("q"), "amq.fanout", None, b"")
    bench.send(*"abc", persistent=False, proxy="amq.fanout")
    take(bench, reader)
    bench.finish()
    bench.finish()
    assert (in_memory(reader), read(bench, reader)) == (0, {1: "a", 2: "b", 3: "c"})
    assert bodies(bench.queue("other")) == ["a", "b", "c"]


@pytest.mark.usefixtures("narrow")
def test_those_from_behind_the_queues_window_too(bench: Bench) -> None:
    reader = opened(bench, window=1)
    bench.send(*"abc", persistent=False)
    bench.finish()
    take(bench, reader)
    bench.finish()
    bench.finish()
    assert (in_memory(reader), read(bench, reader)) == (0, {1: "a", 2: "b", 3: "c"})
    reader.commit(3)
    bench.finish()
    assert bench.store.lines() == []


def test_memory_holds_what_was_taken_last(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOW_BYTES", 4 * (module.MESSAGE + 1))
    reader = opened(bench)
    for _ in range(3):
        bench.send(*"ab")
        take(bench, reader)
        bench.finish()
    assert [handful.references is None for handful in reader.handfuls] == [True, False, False]
    reader.commit(4)
    bench.send(*"ab")
    take(bench, reader)
    bench.finish()
    assert [handful.references is None for handful in reader.handfuls] == [False, False]


@pytest.mark.usefixtures("narrow")
def test_nothing_leaves_memory_before_it_is_written(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab")
    take(bench, reader)
    bench.turn()
    before = in_memory(reader)
    bench.finish()
    assert (before, in_memory(reader)) == (2, 0)


# Giving back


@pytest.mark.parametrize("narrowed", [False, True])
@pytest.mark.parametrize("restart", [False, True])
def test_what_goes_back_is_in_its_place_over_restarts(
    bench: Bench, request: pytest.FixtureRequest, *, narrowed: bool, restart: bool
) -> None:
    if narrowed:
        request.getfixturevalue("narrow")
    reader = opened(bench)
    bench.send(*"abcdefgh")
    bench.finish()
    take(bench, reader, 6)
    reader.commit(1)
    bench.finish()
    now = bench.killed() if restart else bench
    now.host().readers.delete(now.host().readers.get("q", "r"), now.clock.now())
    now.send("i")
    now.finish()
    assert bodies(now.queue()) == list("bcdefghi")
    after = now.killed()
    after.broker.refresh()
    after.run(after.broker._tick)
    assert (bodies(after.queue()), list(after.host().readers)) == (list("bcdefghi"), [])
    assert [after.get(after.queue()).redelivered for _ in range(8)] == [1] * 5 + [0] * 3


@pytest.mark.usefixtures("narrow")
def test_transient_ones_that_went_back_may_be_taken_by_another(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab", persistent=False)
    take(bench, reader)
    bench.finish()
    bench.finish()
    bench.host().readers.delete(reader, bench.clock.now())
    bench.finish()
    other = opened(bench, "other")
    take(bench, other)
    bench.finish()
    bench.finish()
    assert (in_memory(other), read(bench, other)) == (0, {1: "a", 2: "b"})


def test_one_of_the_same_name_begins_anew(bench: Bench) -> None:
    reader = opened(bench)
    bench.send("a")
    take(bench, reader)
    bench.finish()
    bench.host().readers.delete(reader, bench.clock.now())
    again = opened(bench)
    assert (again is reader, again.taken, take(bench, again), read(bench, again)) == (False, 0, 1, {1: "a"})
    bench.finish()
    after = bench.killed()
    assert read(after, after.host().readers.get("q", "r")) == {1: "a"}


def test_nothing_is_left_of_what_is_done_with(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"abc")
    take(bench, reader, 2)
    bench.finish()
    reader.commit(1)
    bench.host().readers.delete(reader, bench.clock.now())
    bench.queue().purge()
    bench.finish()
    assert (bench.store.lines(), bench.store.takings(), bench.store.last_message()) == ([], [], 0)


# The queue


def test_it_goes_with_its_queue(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab")
    take(bench, reader, 1)
    bench.finish()
    bench.host().wiring.destroy_queue(reader.queue)
    again = opened(bench)
    bench.finish()
    assert (read(bench, reader), again.taken, bench.store.takings()) == ({}, 0, [])
    after = bench.killed()
    assert [(found.stored, found.taken) for found in after.host().readers] == [(again.stored, 0)]


def test_of_a_queue_that_does_not_survive_it_does_not_either() -> None:
    bench = Bench(MemoryStore())
    reader = opened(bench, persistent=False)
    bench.send("a")
    take(bench, reader)
    reader.commit(1)
    bench.finish()
    assert (reader.stored, bench.store.definitions()[0][0]) == (0, "host")
    bench.leave()


def test_sequences_of_what_is_taken_do_not_come_again(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab")
    take(bench, reader)
    bench.finish()
    after = bench.killed()
    after.send("c")
    assert after.broker.statistics.snapshot(0.0)["/"].queues["q"].counts.published == 1
    after.host().readers.delete(after.host().readers.get("q", "r"), after.clock.now())
    after.finish()
    assert bodies(after.queue()) == ["a", "b", "c"]


@pytest.mark.usefixtures("narrow")
def test_what_is_taken_is_seen_from_the_queue(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"ab")
    take(bench, reader)
    bench.finish()
    assert bodies(reader.queue, State.TAKEN) == ["a", "b"]
