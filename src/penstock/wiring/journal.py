"""Journal: what has happened to the references of persistent queues since somebody last wrote it down.

The wiring notes, the broker reads and writes. Only what would be missed after a restart is noted:
references to persistent messages in persistent queues, and whatever was kept on disk for want of room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from penstock.wiring.reference import Reference
    from penstock.wiring.stock import Stock

__all__ = ["Journal", "Noted"]


class Noted(NamedTuple):
    """What a journal holds; within each list in the order it happened."""

    added: list[tuple[Stock, Reference]]
    #: Counts, state or times are other than they were.
    changed: list[tuple[Stock, Reference]]
    removed: list[tuple[Stock, Reference]]
    #: With everything in them.
    destroyed: list[Stock]


class Journal:
    """Notes of one wiring, or of several that are written together."""

    __slots__ = ("added", "changed", "destroyed", "removed")

    def __init__(self) -> None:
        self.added, self.changed, self.removed, self.destroyed = Noted([], [], [], [])

    def __len__(self) -> int:
        """How much is noted."""
        return len(self.added) + len(self.removed) + len(self.changed) + len(self.destroyed)

    def take(self) -> Noted:
        """All that is noted, and begin anew."""
        noted = Noted(self.added, self.changed, self.removed, self.destroyed)
        self.added, self.changed, self.removed, self.destroyed = Noted([], [], [], [])
        return noted
