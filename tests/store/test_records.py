from __future__ import annotations

from math import inf
from typing import Any

import pytest

from penstock.store import Batch, MemoryStore, Standing, as_change, as_reference, as_row, is_plain
from penstock.wiring import Message, Reference, State, Terms
from tests.store.support import message


def reference(state: State = State.READY, **notes: Any) -> Reference:
    made = Reference(Message(b"", terms=Terms(priority=3)), 7)
    made.state = state
    for name, value in notes.items():
        setattr(made.noted(), name, value)
    return made


FULL: dict[str, Any] = {
    "priority": 5,
    "failed": 1,
    "redelivered": 2,
    "due_at": 4.0,
    "expires_at": 9.0,
    "error": "why",
    "remarks": b"!",
}


def test_a_plain_reference_has_nothing_to_say() -> None:
    handed = reference()
    handed.acquired = 1
    assert is_plain(reference())
    assert not any(map(is_plain, [handed, reference(failed=1), reference(State.BURIED)]))


@pytest.mark.parametrize(
    ("state", "standing"),
    [
        (State.READY, Standing.READY),
        (State.BEHIND, Standing.READY),
        (State.HELD, Standing.READY),
        (State.DELAYED, Standing.DELAYED),
        (State.BURIED, Standing.BURIED),
    ],
)
def test_a_row_says_how_it_stands(state: State, standing: Standing) -> None:
    assert as_row(1, 2, reference(state)) == (1, 3, 7, 2, standing, 0.0, None, 0, 0, 0, None, None)


def test_how_it_stands_may_be_said() -> None:
    assert as_row(1, 2, reference(**FULL), Standing.OVERFLOWED) == (
        1,
        5,
        7,
        2,
        3,
        4.0,
        9.0,
        0,
        1,
        2,
        "why",
        b"!",
    )


def test_a_change_names_the_place_it_was_stored_under() -> None:
    assert as_change(1, 3, reference(**FULL), Standing.DELAYED) == (
        5,
        1,
        4.0,
        9.0,
        0,
        1,
        2,
        "why",
        b"!",
        1,
        3,
        7,
    )


@pytest.mark.parametrize(
    "notes", [{}, FULL, {"priority": 0}, {"expires_at": 1.0}, {"error": "no"}, {"due_at": 1.0}]
)
def test_a_reference_comes_back_from_its_row(notes: dict[str, Any]) -> None:
    before, store = reference(**notes), MemoryStore()
    before.acquired = 4
    store.write(Batch(1, messages=[message(2)], references=[as_row(1, 2, before)]))
    (found,) = store.fetch(1, before.priority, 7, 8, 1)
    after = as_reference(found, Message(b"", terms=Terms(priority=3)))
    assert as_row(1, 2, after) == as_row(1, 2, before)
    assert (after.notes is None, after.message.references) == (not notes, 1)
    assert (after.noted().lease_at, after.state) == (inf, State.READY)
