"""References: a message's place in one queue, and the notes made only when there is something to note."""

from __future__ import annotations

from math import inf

import pytest

from penstock.wiring.message import Message, Terms
from penstock.wiring.reference import Notes, Reference, State
from tests.wiring.support import reference


def test_a_new_reference_is_ready_and_has_no_notes() -> None:
    new = Reference(Message(b"body", terms=Terms(priority=7)), 3)
    assert (new.sequence, new.state, new.acquired, new.notes) == (3, State.READY, 0, None)
    assert (new.priority, new.failed, new.redelivered, new.expires_at) == (7, 0, 0, inf)
    assert not hasattr(new, "consumer")


def test_notes_are_made_once_with_the_messages_priority() -> None:
    noted = reference(1, priority=7)
    notes = noted.noted()
    assert notes.priority == 7
    assert noted.noted() is notes
    assert noted.noted(99) is notes  # the priority is said when they are made
    assert notes.priority == 7


def test_notes_may_be_made_with_a_priority_of_their_own() -> None:
    noted = reference(1, priority=7)
    assert noted.noted(9).priority == 9
    assert noted.priority == 9
    assert noted.message.terms.priority == 7


def test_what_is_noted_is_what_the_reference_tells() -> None:
    told = reference(1)
    notes = told.noted()
    notes.priority, notes.failed, notes.redelivered, notes.expires_at = 5, 2, 3, 60.0
    assert (told.priority, told.failed, told.redelivered, told.expires_at) == (5, 2, 3, 60.0)


def test_fresh_notes_say_that_nothing_has_happened() -> None:
    notes = Notes(4)
    assert (notes.priority, notes.redelivered, notes.failed, notes.tag) == (4, 0, 0, 0)
    assert (notes.due_at, notes.expires_at, notes.lease_at, notes.error) == (0.0, inf, inf, None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0, 1), (0, 2)),  # of one priority, the first to come
        ((0, 9), (1, 1)),  # the lower number is more urgent, whenever it came
        ((0, 1), (2**32 - 1, 1)),
    ],
)
def test_the_order_is_that_of_delivery(first: tuple[int, int], second: tuple[int, int]) -> None:
    earlier = reference(first[1], priority=first[0])
    later = reference(second[1], priority=second[0])
    assert earlier < later
    assert not later < earlier
    assert not earlier < earlier  # noqa: PLR0124 (the point)


def test_a_reference_shows_its_place_and_its_counts() -> None:
    shown = reference(3)
    shown.state, shown.acquired = State.HELD, 2
    shown.noted().failed = 1
    assert repr(shown) == "<Reference 3 held, acquired 2, failed 1, redelivered 0>"


def test_a_million_may_wait_so_neither_takes_room_for_more() -> None:
    with pytest.raises(AttributeError):
        reference(1).something = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        Notes(1).something = 1  # type: ignore[attr-defined]
