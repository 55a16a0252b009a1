"""A reader that takes what stands behind its queue's memory window, and gives it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.broker.reading import PLENTY, opened, read, take
from tests.broker.support import NO_FRONT, Bench, bodies, bodies_at

if TYPE_CHECKING:
    from penstock.broker import Reader


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
