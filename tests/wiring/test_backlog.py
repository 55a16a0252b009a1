"""The memory adapter of the backlog; what any adapter must do is in tests/contracts/test_backlog.py."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from penstock.wiring.backlog import MemoryBacklog
from tests.wiring.support import reference, sequences

if TYPE_CHECKING:
    from penstock.wiring.backlog import Backlog


def filled(*numbers: int, expires_at: float = inf) -> MemoryBacklog:
    backlog = MemoryBacklog()
    for number in numbers:
        backlog.put(reference(number, expires_at=expires_at))
    return backlog


def test_it_is_a_backlog() -> None:
    backlog: Backlog = MemoryBacklog()
    assert (len(backlog), backlog.first(), list(backlog)) == (0, None, [])


def test_it_gives_back_the_very_references_it_was_given() -> None:
    backlog, kept = MemoryBacklog(), reference(1)
    backlog.put(kept)
    assert backlog.first() is kept
    assert next(iter(backlog)) is kept
    assert backlog.pick(1) is kept
    assert backlog.pick(1) is None


def test_what_comes_late_is_sorted_in() -> None:
    backlog = filled(1, 5, 9)
    for number in (3, 10, 7):
        backlog.put(reference(number))
    assert sequences(backlog) == sequences(backlog.take(99)) == [1, 3, 5, 7, 9, 10]


def test_one_may_take_from_it_while_looking_through_it() -> None:
    backlog = filled(1, 2, 3)
    assert [(found.sequence, len(backlog.take(1))) for found in backlog] == [(1, 1), (2, 1), (3, 1)]


def test_nothing_is_left_behind_of_what_has_gone() -> None:
    backlog = filled(1, 2, 3, 4, 5, expires_at=9.0)
    backlog.take(1)
    backlog.pick(3)
    assert (len(backlog._by_sequence), len(backlog._expiring)) == (3, 3)
    assert sequences(backlog.take_expired(9.0)) == [2, 4, 5]
    assert (backlog._kept, backlog._by_sequence, backlog.next_expiry()) == ([], {}, inf)


def test_it_knows_which_priorities_it_holds() -> None:
    backlog = MemoryBacklog()
    backlog.put(reference(1, priority=5))
    assert (backlog.holds(5), backlog.holds(0)) == (True, False)
    backlog.take(1)
    assert not backlog.holds(5)


def test_expiry_is_known_without_looking_at_all_of_them() -> None:
    backlog = filled(1, 2)
    backlog.put(reference(3, expires_at=7.0))
    backlog.put(reference(4, expires_at=5.0))
    assert (len(backlog._expiring), backlog.next_expiry()) == (2, 5.0)
    assert backlog.take_expired(4.9) == []


def test_a_purge_lets_go_of_the_messages() -> None:
    backlog = filled(1, 2, expires_at=9.0)
    messages = [kept.message for kept in backlog]
    assert backlog.purge() == 2
    assert [message.references for message in messages] == [0, 0]
    assert (len(backlog), backlog._by_sequence, backlog.next_expiry()) == (0, {}, inf)
    assert len(backlog._expiring) == 0
