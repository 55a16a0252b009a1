"""Takings: what readers have taken, given back and committed, as rows for the store.

What stood in its queue's line stays there, and that it is taken is one row for a whole stretch; to commit is
to clear it. Both cost the same however long the stretches are. Other references move: they stand under the
reader's number as if it were a queue.
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
        if stretch.home == reader.stored:
            batch.moved.append((reader.stored, reader.queue.stored, *_places(stretch)))
    for reader, stretch in noted.given_back:
        batch.given_back.append((reader.queue.stored, stretch.home, *_places(stretch)))
    for _, stretch in noted.committed:
        batch.cleared.append((stretch.home, stretch.priority, stretch.sequence, stretch.below))
    batch.committed += {reader.stored: reader.committed for reader, _ in noted.committed}.items()
    batch.dropped += [reader.stored for reader in noted.ended]


def _places(stretch: Stretch) -> tuple[int, int, int]:
    """Priority, first and last sequence."""
    return stretch.priority, stretch.sequence, stretch.below - 1
