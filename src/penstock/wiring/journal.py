"""Journal: what has happened to the references of persistent queues since somebody last wrote it down.

The wiring notes, the broker reads and writes. Only what would be missed after a restart is noted:
references to persistent messages in persistent queues, and whatever was kept on disk for want of room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from penstock.wiring.reader import Reader
    from penstock.wiring.reference import Reference
    from penstock.wiring.stock import Stock
    from penstock.wiring.stretch import Stretch

__all__ = ["Journal", "Noted"]


class Noted(NamedTuple):
    """What a journal holds; within each list in the order it happened."""

    added: list[tuple[Stock, Reference]]
    #: Counts, state or times are other than they were.
    changed: list[tuple[Stock, Reference]]
    removed: list[tuple[Stock, Reference]]
    #: With everything in them.
    destroyed: list[Stock]
    #: From a reader's queue to the reader.
    taken: list[tuple[Reader, Stretch]]
    #: From a reader to its queue.
    given_back: list[tuple[Reader, Stretch]]
    #: Done with, and gone.
    committed: list[tuple[Reader, Stretch]]
    #: Readers that are gone.
    ended: list[Reader]


class Journal:
    """Notes of one wiring, or of several that are written together."""

    __slots__ = ("added", "changed", "committed", "destroyed", "ended", "given_back", "removed", "taken")

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.added: list[tuple[Stock, Reference]] = []
        self.changed: list[tuple[Stock, Reference]] = []
        self.removed: list[tuple[Stock, Reference]] = []
        self.destroyed: list[Stock] = []
        self.taken: list[tuple[Reader, Stretch]] = []
        self.given_back: list[tuple[Reader, Stretch]] = []
        self.committed: list[tuple[Reader, Stretch]] = []
        self.ended: list[Reader] = []

    def __len__(self) -> int:
        """How much is noted."""
        return (
            len(self.added)
            + len(self.removed)
            + len(self.changed)
            + len(self.destroyed)
            + len(self.taken)
            + len(self.given_back)
            + len(self.committed)
            + len(self.ended)
        )

    def take(self) -> Noted:
        """All that is noted, and begin anew."""
        noted = Noted(
            self.added,
            self.changed,
            self.removed,
            self.destroyed,
            self.taken,
            self.given_back,
            self.committed,
            self.ended,
        )
        self._begin()
        return noted
