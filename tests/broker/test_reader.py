"""A reader on a store: read again and again, by position, from memory or from there, over restarts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.broker import reader as module
from penstock.broker.forms import PlainForm
from penstock.store import MemoryStore, SqliteStore
from penstock.wiring import State
from tests.broker.support import NO_FRONT, Bench, bodies, bodies_at

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.broker import Reader
    from penstock.broker.reader import Part, Taken

PLENTY = 1_000_000


def opened(bench: Bench, name: str = "r", **how: Any) -> Reader:
    bench.queue(**how)
    return bench.host().readers.open("q", name)


def take(bench: Bench, reader: Reader, rows: int = 99) -> int:
    return reader.take(rows, PLENTY, bench.clock.now())


def read(bench: Bench, reader: Reader, start: int = 0, end: int = 99) -> dict[int, str]:
    """What is there, made anew or as it is written."""
    ways = (
        bodies_at(bench.loop.run_until_complete(reader.read(start, end, front)))
        for front in (NO_FRONT, PlainForm.number)
    )
    found, raw = ({at: body.decode() for at, body in way.items()} for way in ways)
    assert found == raw
    return found


def messages(parts: list[Part]) -> list[Taken]:
    return [taken for part in parts if isinstance(part, list) for taken in part]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is written stays in memory, and pages are small."""
    monkeypatch.setattr(module, "WINDOW_BYTES", 0)
    monkeypatch.setattr(module, "PAGE", 2)


def in_memory(reader: Reader) -> int:
    return sum(len(handful.references or ()) for handful in reader.handfuls)


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
def test_what_is_committed_while_somebody_reads_is_not_read(bench: Bench) -> None:
    reader = opened(bench)
    bench.send(*"abcdef")
    take(bench, reader, 3)
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


# Behind the memory window


@pytest.mark.parametrize("rows", [99, 3])
def test_what_is_behind_the_memory_window_is_taken_where_it_stands(bench: Bench, rows: int) -> None:
    reader = opened(bench, window=2)
    bench.send(*"abcdefg")
    bench.finish()
    while take(bench, reader, rows) < 7:
        pass
    bench.finish()
    assert any(handful.references is None for handful in reader.handfuls)
    assert ({handful.stretch.home for handful in reader.handfuls}, bench.store.lines()[0].ready) == (
        {reader.queue.stored},
        7,
    )
    assert (reader.waiting, "".join(read(bench, reader).values())) == (0, "abcdefg")
    reader.commit(5)
    assert read(bench, reader) == {6: "f", 7: "g"}
    after = bench.killed()
    reader = after.host().readers.get("q", "r")
    assert (reader.waiting, reader.taken) == (0, 7)
    assert bodies_at(after.loop.run_until_complete(reader.read(0, 9, NO_FRONT))) in (
        # Whether the commit was written, nobody was told.
        {6: b"f", 7: b"g"},
        dict(enumerate((b"a", b"b", b"c", b"d", b"e", b"f", b"g"), 1)),
    )


@pytest.mark.parametrize(("size", "expected"), [(3, "abc"), (4, "abc"), (9, "abcdefg"), (0, "a")], ids=str)
def test_what_is_behind_the_memory_window_is_taken_as_far_as_it_fits(
    bench: Bench, size: int, expected: str
) -> None:
    reader = opened(bench, window=1)
    bench.send("a", "b", "c", "dd", "e")
    bench.finish()
    reader.take(99, size, bench.clock.now())
    assert "".join(read(bench, reader).values()) == expected.replace("d", "dd").replace("fg", "")


@pytest.mark.parametrize("special", [{"persistent": False}, {"expires_in": 60.0}, {"group": "g"}], ids=str)
def test_what_is_special_behind_the_memory_window_is_looked_at_one_by_one(
    bench: Bench, special: dict[str, Any]
) -> None:
    reader = opened(bench, window=2)
    bench.send(*"abcd")
    bench.send("e", **special)
    bench.send(*"fg")
    bench.finish()
    take(bench, reader)
    bench.finish()
    assert "".join(read(bench, reader).values()) == "abcdefg"
    bench.host().readers.delete(reader, bench.clock.now())
    bench.finish()
    assert bodies(reader.queue) == list("abcdefg")


@pytest.mark.parametrize("special", [{}, {"group": "g"}, {"expires_in": 60.0}], ids=str)
def test_what_was_behind_the_memory_window_before_a_kill_is_taken_where_it_stands(
    bench: Bench, special: dict[str, Any]
) -> None:
    opened(bench, window=2)
    bench.send(*"abc")
    bench.send("d", **special)
    bench.send(*"efg")
    bench.finish()
    after = bench.killed(window=2)
    reader = after.host().readers.get("q", "r")
    # Groups are looked at one by one.
    reader.take(99, 7, after.clock.now())
    stays = all(handful.references is None for handful in reader.handfuls)
    assert (stays, reader.taken) == ("group" not in special, 7)
    after.finish()
    assert "".join(read(after, reader).values()) == "abcdefg"
    reader.commit(7)
    after.finish()
    assert after.store.last_message() == 0


def test_what_others_had_in_between_is_not_taken(bench: Bench) -> None:
    reader = opened(bench, window=1)
    bench.send(*"abcdef")
    bench.finish()
    queue = reader.queue
    for reference in [found for found in queue.peek() if bytes(found.message.body) in b"ce"]:
        queue.waiting.withdraw(reference)
    take(bench, reader)
    assert read(bench, reader) == {1: "a", 2: "b", 3: "d", 4: "f"}


def test_a_reader_that_is_deleted_while_it_takes_takes_no_more(bench: Bench) -> None:
    reader = opened(bench, window=2)
    bench.send(*"abcdef")
    bench.finish()
    parts = reader.take_in_parts(99, PLENTY, bench.clock.now())
    assert next(parts) < 6
    bench.host().readers.delete(reader, bench.clock.now())
    assert list(parts) == []
    assert bodies(reader.queue) == list("abcdef")


def many_taken(bench: Bench) -> Reader:
    """Taken in three parts."""
    reader = opened(bench)
    bench.send(*"abcdef")
    for _ in range(3):
        take(bench, reader, 2)
    bench.finish()
    return reader


def test_much_is_given_back_part_by_part_and_others_have_their_turn(bench: Bench) -> None:
    reader = many_taken(bench)
    parts = reader.give_back_in_parts(bench.clock.now())
    next(parts)
    assert (bodies(reader.queue), "r" in reader.queue.readers) == (["a", "b"], False)
    again = bench.host().readers.open("q", "r")
    take(bench, again)
    bench.finish()
    assert read(bench, again) == {1: "a", 2: "b"}
    assert (list(parts), bodies(reader.queue)) == ([None, None], ["c", "d", "e", "f"])
    assert bench.host().readers.get("q", "r") is again
    bench.finish()
    after = bench.killed()
    after.broker.refresh()
    after.run(after.broker._tick)
    again = after.host().readers.get("q", "r")
    assert (read(after, again), bodies(again.queue)) == ({1: "a", 2: "b"}, ["c", "d", "e", "f"])


def test_a_kill_while_much_is_given_back_loses_nothing(bench: Bench) -> None:
    reader = many_taken(bench)
    next(reader.give_back_in_parts(bench.clock.now()))
    bench.finish()
    after = bench.killed()
    after.broker.refresh()
    after.run(after.broker._tick)
    reader = after.host().readers.get("q", "r")
    assert sorted([*bodies(reader.queue), *read(after, reader).values()]) == list("abcdef")


def test_a_queue_that_goes_while_much_is_given_back_gets_no_more(bench: Bench) -> None:
    reader = many_taken(bench)
    parts = reader.give_back_in_parts(bench.clock.now())
    next(parts)
    bench.host().wiring.destroy_queue(reader.queue)
    assert list(parts) == []
    bench.finish()
    assert (bench.store.lines(), bench.store.takings(), bench.store.last_message()) == ([], [], 0)


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
