"""A reader: takes under positions, keeps until it is committed, gives back when it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import CommitAhead, ReaderInUse
from penstock.wiring import PERSISTENT, DeadLetters, Message, Reader, State
from tests.wiring.support import (
    NAMES,
    add_home,
    bodies,
    consume,
    deliver,
    in_hand,
    journalled,
    ready,
    send,
    wired,
)

if TYPE_CHECKING:
    from penstock.wiring import Queue, Wiring
    from penstock.wiring.journal import Journal

PLENTY = 1_000_000


def reader_of(queue: Queue, name: str = "r") -> Reader:
    made = queue.readers[name] = Reader(name, queue)
    return made


def read(*messages: str, **how: Any) -> tuple[Wiring, Queue, Reader]:
    wiring, queue = wired(**how)
    send(wiring, *messages)
    return wiring, queue, reader_of(queue)


def held(reader: Reader) -> list[str]:
    return bodies(found for handful in reader.handfuls for found in reader.references_of(handful))


# Taking


def test_what_it_takes_gets_the_next_positions() -> None:
    _, _, reader = read("a", "b", "c", "d")
    assert (reader.take(2, PLENTY, 0.0), reader.take(9, PLENTY, 0.0), reader.take(9, PLENTY, 0.0)) == (
        2,
        4,
        4,
    )
    assert [handful.stretch[:2] for handful in reader.handfuls] == [(1, 2), (3, 2)]


def test_it_shares_the_queue_with_consumers_and_other_readers() -> None:
    wiring, queue, one = read("a", "b", "c", "d")
    two = reader_of(queue, "two")
    one.take(1, PLENTY, 0.0)
    consume(wiring, queue, "c", prefetch=1)
    delivered = deliver(wiring)
    two.take(1, PLENTY, 0.0)
    assert (held(one), delivered, held(two), ready(queue)) == (["a"], [("c", "b")], ["c"], ["d"])
    assert bodies(queue.peek(State.TAKEN)) == ["a", "c"]


def test_what_is_taken_makes_room_in_the_queue_and_is_not_purged() -> None:
    wiring, queue, reader = read("a", "b", max_length=2)
    reader.take(2, PLENTY, 0.0)
    send(wiring, "c", "d")
    deliver(wiring)
    assert (queue.purge(), held(reader)) == (2, ["a", "b"])


def test_a_queue_that_is_read_is_not_unused() -> None:
    wiring, queue, reader = read(unused_in=5.0)
    for verb in (lambda now: reader.take(1, 1, now), lambda now: reader.lease("me", 1.0, now)):
        verb(wiring.next_at - 1.0)
        wiring.tick(wiring.next_at - 0.5)
    assert not queue.destroyed


# Looking


def test_it_says_how_far_it_is() -> None:
    _, _, reader = read("a", "b", "c")
    reader.take(2, PLENTY, 0.0)
    reader.commit(1)
    assert (reader.committed, reader.taken, reader.uncommitted, reader.waiting) == (1, 2, 1, 1)
    assert repr(reader) == "<Reader 'r' of 'q': 1 of 2 committed>"


def test_the_oldest_is_what_is_not_committed_and_then_what_waits() -> None:
    wiring, _, reader = read()
    assert reader.oldest_at is None
    for at, body in [(3.0, "a"), (5.0, "b")]:
        send(wiring, body, now=at)
        deliver(wiring, at)
    reader.take(1, PLENTY, 6.0)
    oldest = [reader.oldest_at]
    reader.commit(1)
    assert [*oldest, reader.oldest_at] == [3.0, 5.0]


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [(0, 6, [1, 3, 5]), (0, 1, [1]), (1, 2, [1]), (2, 5, [3, 5]), (6, 9, [])],
)
def test_it_finds_what_holds_a_range(start: int, end: int, found: list[int]) -> None:
    _, _, reader = read(*"abcdef")
    for _ in range(3):
        reader.take(2, PLENTY, 0.0)
    assert [handful.stretch.position for handful in reader.between(start, end)] == found


# Holding


def test_one_holder_at_a_time() -> None:
    _, _, reader = read()
    reader.lease("me", 10.0, 0.0)
    with pytest.raises(ReaderInUse, match=r"^reader 'r' of queue 'q' is in use by 'me'"):
        reader.lease("you", 10.0, 9.0)


# Committing


def test_what_is_committed_is_gone_with_its_last_reference() -> None:
    wiring, queue = wired()
    wiring.register(wiring.create_queue("other", now=0.0), NAMES, "q")
    reader = reader_of(queue)
    messages = send(wiring, "a", "b", "c")
    reader.take(3, PLENTY, 0.0)
    reader.commit(2)
    assert [message.references for message in messages] == [1, 1, 2]
    assert (held(reader), queue.tally.acked) == (["c"], 2)


def test_to_commit_again_or_to_go_back_is_no_change() -> None:
    _, queue, reader = read("a", "b", "c")
    reader.take(3, PLENTY, 0.0)
    for position in (2, 2, 1, 0):
        reader.commit(position)
    assert (reader.committed, held(reader), queue.tally.acked) == (2, ["c"], 2)


def test_what_is_not_taken_cannot_be_committed() -> None:
    _, _, reader = read("a", "b")
    reader.take(1, PLENTY, 0.0)
    with pytest.raises(CommitAhead, match=r"^reader 'r' of queue 'q' has taken 1: it cannot commit 2$"):
        reader.commit(2)
    assert (reader.committed, held(reader)) == (0, ["a"])


def test_no_position_is_given_twice() -> None:
    wiring, _, reader = read("a")
    reader.commit(reader.take(9, PLENTY, 0.0))
    send(wiring, "b")
    assert reader.take(9, PLENTY, 0.0) == 2


# Giving back


def test_what_is_not_committed_goes_back_to_its_place_as_redelivered() -> None:
    wiring, queue, reader = read("a", "b", "c", "d")
    reader.take(3, PLENTY, 0.0)
    reader.commit(1)
    reader.give_back(0.0)
    assert (ready(queue), [found.redelivered for found in queue.peek()]) == (["b", "c", "d"], [1, 1, 0])
    assert (queue.readers, queue.tally.returned) == ({}, 2)
    consume(wiring, queue, "c")
    assert [body for _, body in deliver(wiring)] == ["b", "c", "d"]


def test_what_comes_back_too_late_has_expired() -> None:
    wiring, queue, reader = read()
    send(wiring, "late", expires_in=2.0)
    send(wiring, "in time", expires_in=9.0)
    reader.take(2, PLENTY, 0.0)
    wiring.tick(5.0)
    reader.give_back(5.0)
    assert ready(queue) == ["in time"]
    wiring.tick(9.0)
    assert ready(queue) == []


def test_a_queue_that_goes_takes_what_was_taken_from_it_along() -> None:
    wiring, queue = wired(dead_letters=DeadLetters("dead"))
    graves = add_home(wiring)
    messages = send(wiring, "a", "b")
    reader = reader_of(queue)
    reader.take(1, PLENTY, 0.0)
    wiring.destroy_queue(queue)
    wiring.deliver(0.0)
    assert (held(reader), ready(graves), queue.readers) == ([], [], {})
    assert [message.references for message in messages] == [0, 0]


# The journal


def noted(*messages: str) -> tuple[Wiring, Queue, Reader, Journal]:
    """A reader that is stored, of a queue that is too, and a journal that begins now."""
    wiring, queue, journal = journalled()
    reader = reader_of(queue)
    reader.stored = 7
    wiring.publish(NAMES, [Message(body.encode(), "q", terms=PERSISTENT) for body in messages], 0.0)
    journal.take()
    return wiring, queue, reader, journal


def places(notes: list[tuple[Reader, Any]]) -> list[tuple[int, int]]:
    return [stretch[:2] for _, stretch in notes]


def test_what_it_takes_and_commits_is_noted() -> None:
    _, _, reader, journal = noted("a", "b", "c")
    reader.take(3, PLENTY, 0.0)
    reader.commit(1)
    reader.commit(3)
    assert (places(journal.taken), places(journal.committed)) == ([(1, 3)], [(1, 1), (2, 2)])
    assert (len(journal), journal.removed) == (3, [])


def test_what_a_reader_without_a_number_does_is_not_noted() -> None:
    _, _, reader, journal = noted("a", "b")
    reader.stored = 0
    reader.take(2, PLENTY, 0.0)
    reader.commit(1)
    reader.give_back(0.0)
    assert (journal.taken, journal.committed, journal.given_back, journal.ended) == ([], [], [], [])


def test_what_goes_back_is_noted_unless_nobody_wrote_that_it_was_taken() -> None:
    _, queue, reader, journal = noted(*"abcdef")
    reader.take(3, PLENTY, 0.0)
    journal.take()
    reader.take(3, PLENTY, 0.0)
    reader.commit(1)
    reader.give_back(0.0)
    assert (places(journal.taken), places(journal.given_back)) == ([], [(2, 2)])
    assert bodies(found for _, found in journal.changed) == list("bcdef")
    assert (journal.ended, ready(queue)) == ([reader], list("bcdef"))


def test_what_is_committed_has_left_the_queue_though_the_rest_goes_back() -> None:
    _, queue, reader, journal = noted(*"abcd")
    other = reader_of(queue, "other")
    other.stored = 8
    other.take(1, PLENTY, 0.0)
    reader.take(3, PLENTY, 0.0)
    reader.commit(2)
    reader.give_back(0.0)
    assert [(found.name, stretch[:2]) for found, stretch in journal.taken] == [
        ("other", (1, 1)),
        ("r", (1, 2)),
    ]
    assert (places(journal.committed), ready(queue)) == ([(1, 2)], ["d"])


def test_what_goes_with_its_queue_is_noted_by_the_name_of_the_reader() -> None:
    wiring, queue, reader, journal = noted("a")
    reader.take(1, PLENTY, 0.0)
    wiring.destroy_queue(queue)
    assert (journal.ended, journal.destroyed) == ([reader], [queue])


def test_what_a_consumer_had_before_is_told_from_the_rest() -> None:
    wiring, queue, reader = read("a", "b")
    consumer = in_hand(wiring, queue, prefetch=1)
    consumer.ledger.nack(1, 0.0)
    reader.take(2, PLENTY, 0.0)
    assert [found.acquired for found in queue.peek(State.TAKEN)] == [2, 1]
