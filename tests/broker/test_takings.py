"""Takings: what readers do, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.broker.takings import gather_takings
from penstock.store import Batch
from penstock.wiring.journal import Noted
from penstock.wiring.stretch import Stretch

if TYPE_CHECKING:
    from penstock.wiring import Reader
    from tests.broker.support import Bench

SIX = Stretch(position=11, length=6, priority=2, sequence=101, arrived_at=7.0)


def test_what_is_noted_of_readers_becomes_rows(bench: Bench) -> None:
    queue = bench.queue().stored
    reader = bench.host().readers.open("q", "r")
    reader.committed = 14
    batch = Batch(1)
    committed: list[tuple[Reader, Stretch]] = [(reader, SIX.first(1)), (reader, SIX.without(1).first(3))]
    given_back: list[tuple[Reader, Stretch]] = [(reader, SIX.without(4))]
    gather_takings(Noted([], [], [], [], [(reader, SIX)], given_back, committed, [reader]), batch)
    assert batch == Batch(
        1,
        taken=[(reader.stored, 11, 6, 2, 101, 7.0)],
        moved=[(reader.stored, queue, 2, 101, 106)],
        given_back=[(queue, reader.stored, 2, 105, 106)],
        cleared=[(reader.stored, 2, 101, 102), (reader.stored, 2, 102, 105)],
        # However often: the last tells all.
        committed=[(reader.stored, 14)],
        dropped=[reader.stored],
    )
