"""What a queue asks of the place behind its memory window, of every adapter alike.

An adapter may give back other objects than it was given, as one that keeps them on a disk must: what
counts is what they say. To have an adapter of your own tested, add a line to ADAPTERS.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from penstock.wiring import Backlog, MemoryBacklog, State
from penstock.wiring.pieces import at_once
from tests.wiring.support import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from penstock.wiring import Reference

#: Name → what makes an empty backlog.
ADAPTERS: dict[str, Callable[[], Backlog]] = {"memory": MemoryBacklog}


@pytest.fixture(params=list(ADAPTERS))
def backlog(request: pytest.FixtureRequest) -> Backlog:
    adapter: str = request.param
    return ADAPTERS[adapter]()


def kept(sequence: int, priority: int = 0, expires_at: float = inf) -> Reference:
    """A reference as it comes to stand behind the window."""
    made = reference(sequence, body=b"body %d" % sequence, priority=priority, expires_at=expires_at)
    made.state = State.BEHIND
    return made


def put(backlog: Backlog, references: Iterable[Reference]) -> None:
    for found in references:
        backlog.put(found)


def sequences(references: Iterable[Reference]) -> list[int]:
    return [found.sequence for found in references]


def told(found: Reference | None) -> tuple[Hashable, ...]:
    """All that a reference says."""
    assert found is not None
    message, notes = found.message, found.noted()
    content = (
        bytes(message.body),
        message.destination,
        dict(message.properties),
        message.terms,
        message.deaths,
    )
    counts = (found.acquired, found.failed, found.redelivered, notes.error)
    return str(content), counts, found.sequence, found.priority, found.expires_at


# Order


def test_an_empty_one_gives_nothing(backlog: Backlog) -> None:
    assert (len(backlog), list(backlog), backlog.first(), backlog.pick(1)) == (0, [], None, None)
    assert (backlog.take(5), backlog.take_expired(inf), backlog.next_expiry(), backlog.purge()) == (
        [],
        [],
        inf,
        0,
    )


def test_the_first_is_the_first_in_order_of_delivery(backlog: Backlog) -> None:
    put(backlog, [kept(1, priority=5), kept(2, priority=5)])
    assert told(backlog.first()) == told(kept(1, priority=5))
    put(backlog, [kept(3, priority=0)])
    assert told(backlog.first()) == told(kept(3, priority=0))
    assert len(backlog) == 3


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ([(0, 1), (0, 2), (0, 3)], [1, 2, 3]),  # first in, first out
        ([(0, 3), (0, 1), (0, 2)], [1, 2, 3]),  # what came back goes to its place
        ([(9, 1), (0, 2), (2**32 - 1, 3), (9, 4)], [2, 1, 4, 3]),  # the lowest number first
    ],
)
def test_they_are_kept_in_order_of_delivery(
    backlog: Backlog, places: list[tuple[int, int]], order: list[int]
) -> None:
    for priority, sequence in places:
        put(backlog, [kept(sequence, priority)])
    assert sequences(backlog) == order
    assert sequences(backlog.take(len(order))) == order


def test_many_may_come(backlog: Backlog) -> None:
    put(backlog, [kept(number) for number in range(1, 501)])
    assert len(backlog) == 500
    assert sequences(backlog.take(499)) == list(range(1, 500))
    assert sequences(backlog) == [500]


def test_looking_changes_nothing(backlog: Backlog) -> None:
    put(backlog, [kept(1), kept(2, expires_at=5.0)])
    assert sequences(backlog) == sequences(backlog) == [1, 2]
    assert (len(backlog), backlog.next_expiry(), backlog.first() is not None) == (2, 5.0, True)
    assert len(backlog) == 2


def test_some_are_looked_at_wherever_they_stand(backlog: Backlog) -> None:
    put(backlog, [kept(1), kept(2, priority=5), kept(3), kept(4, priority=5), kept(5)])
    assert dict(backlog.counts()) == {0: 3, 5: 2}
    assert sequences(at_once(backlog.looking(0, 1, 9))) == [3, 5]
    assert sequences(at_once(backlog.looking(5, 0, 1))) == [2]
    assert sequences(at_once(backlog.looking(5, 2, 1))) == []
    backlog.take(1)
    backlog.pick(4)
    assert dict(backlog.counts()) == {0: 2, 5: 1}
    assert sequences(at_once(backlog.looking(0, 1, 9))) == [5]
    assert sequences(backlog) == [3, 5, 2]


def test_it_knows_which_priorities_it_holds(backlog: Backlog) -> None:
    assert not backlog.holds(0)
    put(backlog, [kept(1), kept(2), kept(3, priority=5, expires_at=9.0), kept(4, priority=7)])
    assert [backlog.holds(priority) for priority in (0, 5, 6, 7)] == [True, True, False, True]
    backlog.take(1)
    assert backlog.holds(0)
    backlog.pick(2)
    backlog.take_expired(9.0)
    assert [backlog.holds(priority) for priority in (0, 5, 7)] == [False, False, True]
    backlog.purge()
    assert not backlog.holds(7)


# Content


def test_what_comes_back_says_all_that_it_said_before(backlog: Backlog) -> None:
    full = kept(7, priority=3, expires_at=60.0)
    full.acquired = 4
    notes = full.noted()
    notes.failed, notes.redelivered, notes.error = 1, 3, "no such customer"
    before = told(full)
    put(backlog, [full])
    assert told(next(iter(backlog))) == before
    assert told(backlog.first()) == before
    assert told(*backlog.take(1)) == before


def test_a_priority_of_the_references_own_is_kept(backlog: Backlog) -> None:
    demoted = kept(1, priority=0)
    demoted.noted().priority = 9
    put(backlog, [demoted, kept(2, priority=5)])
    assert [(found.sequence, found.priority) for found in backlog.take(2)] == [(2, 5), (1, 9)]


# Taking


@pytest.mark.parametrize(
    ("limit", "taken", "left"), [(0, [], [1, 2, 3]), (2, [1, 2], [3]), (9, [1, 2, 3], [])]
)
def test_a_limit_is_a_limit(backlog: Backlog, limit: int, taken: list[int], left: list[int]) -> None:
    put(backlog, [kept(1), kept(2), kept(3)])
    assert sequences(backlog.take(limit)) == taken
    assert (sequences(backlog), len(backlog)) == (left, len(left))


def test_one_is_picked_from_the_middle_by_its_sequence(backlog: Backlog) -> None:
    put(backlog, [kept(1), kept(2, priority=5), kept(3)])
    assert told(backlog.pick(3)) == told(kept(3))
    assert backlog.pick(3) is None
    assert backlog.pick(99) is None
    assert sequences(backlog) == [1, 2]


def test_what_was_taken_may_come_back(backlog: Backlog) -> None:
    put(backlog, [kept(1), kept(2, expires_at=5.0), kept(3)])
    put(backlog, backlog.take(2))
    assert (sequences(backlog), backlog.next_expiry()) == ([1, 2, 3], 5.0)
    assert sequences(backlog.take_expired(5.0)) == [2]


# Time


def test_those_whose_time_is_over_are_given_back_wherever_they_stand(backlog: Backlog) -> None:
    put(backlog, [kept(1), kept(2, expires_at=7.0), kept(3, expires_at=5.0), kept(4, expires_at=9.0)])
    assert backlog.next_expiry() == 5.0
    assert backlog.take_expired(4.9) == []
    assert sorted(sequences(backlog.take_expired(7.0))) == [2, 3]
    assert backlog.take_expired(7.0) == []
    assert (sequences(backlog), backlog.next_expiry()) == ([1, 4], 9.0)


def test_what_has_gone_expires_no_more(backlog: Backlog) -> None:
    put(backlog, [kept(number, expires_at=float(number)) for number in (1, 2, 3)])
    backlog.take(1)
    assert backlog.next_expiry() == 2.0
    backlog.pick(2)
    assert backlog.next_expiry() == 3.0
    assert sequences(backlog.take_expired(inf)) == [3]
    assert (len(backlog), backlog.next_expiry()) == (0, inf)


# Purging


def test_a_purge_lets_go_of_everything_and_counts_it(backlog: Backlog) -> None:
    gone = [kept(1), kept(2, expires_at=5.0)]
    put(backlog, gone)
    assert backlog.purge() == 2
    assert (len(backlog), list(backlog), backlog.first(), backlog.next_expiry()) == (0, [], None, inf)
    assert [found.message.references for found in gone] == [0, 0]


def test_after_a_purge_it_goes_on(backlog: Backlog) -> None:
    put(backlog, [kept(1, expires_at=5.0)])
    backlog.purge()
    put(backlog, [kept(2)])
    assert (sequences(backlog), backlog.take_expired(inf)) == ([2], [])
