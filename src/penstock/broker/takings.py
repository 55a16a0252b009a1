"""Takings: what readers have taken, given back and committed, as rows for the store.

A reader's references stand under its number as if it were a queue, so to take is to move a run of rows,
and to commit is to clear it. Both cost the loop the same however long the runs are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.store import Batch
    from penstock.wiring.journal import Noted
    from penstock.wiring.stretch import Stretch

__all__ = ["gather_takings"]


def gather_takings(noted: Noted, batch: Batch) -> None:
    """What is noted of readers goes into the batch."""
    for reader, stretch in noted.taken:
        batch.taken.append((reader.stored, *stretch))
        batch.moved.append((reader.stored, reader.queue.stored, *_places(stretch)))
    for reader, stretch in noted.given_back:
        batch.given_back.append((reader.queue.stored, reader.stored, *_places(stretch)))
    for reader, stretch in noted.committed:
        batch.cleared.append((reader.stored, stretch.priority, stretch.sequence, stretch.below))
    batch.committed += {reader.stored: reader.committed for reader, _ in noted.committed}.items()
    batch.dropped += [reader.stored for reader in noted.ended]


def _places(stretch: Stretch) -> tuple[int, int, int]:
    """Priority, first and last sequence."""
    return stretch.priority, stretch.sequence, stretch.below - 1
