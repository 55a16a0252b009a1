"""Takings: what readers do, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.broker.takings import gather_takings
from penstock.store import Batch
from penstock.wiring.journal import Noted
from penstock.wiring.stretch import Stretch

if TYPE_CHECKING:
    from penstock.wiring import Reader
    from tests.broker.support import Bench


@pytest.mark.parametrize("in_line", [True, False], ids=["in the queue's line", "of the reader's own"])
def test_what_is_noted_of_readers_becomes_rows(bench: Bench, *, in_line: bool) -> None:
    queue = bench.queue().stored
    reader = bench.host().readers.open("q", "r")
    reader.committed = 14
    home = queue if in_line else reader.stored
    six = Stretch(position=11, length=6, priority=2, sequence=101, arrived_at=7.0, home=home)
    batch = Batch(1)
    committed: list[tuple[Reader, Stretch]] = [(reader, six.first(1)), (reader, six.without(1).first(3))]
    given_back: list[tuple[Reader, Stretch]] = [(reader, six.without(4))]
    gather_takings(Noted([], [], [], [], [(reader, six)], given_back, committed, [reader]), batch)
    assert batch == Batch(
        1,
        taken=[(reader.stored, 11, 6, 2, 101, 7.0, home)],
        moved=[] if in_line else [(reader.stored, queue, 2, 101, 106)],
        given_back=[(queue, home, 2, 105, 106)],
        cleared=[(home, 2, 101, 102), (home, 2, 102, 105)],
        # However often: the last tells all.
        committed=[(reader.stored, 14)],
        dropped=[reader.stored],
    )
