"""Tidying: what can wait until the confirms have left, in small pieces between two batches.

A queue with a million messages is purged by one row that says so; here its rows are taken away a
slice at a time, so that other queues' confirms wait for a slice at most. The same goes for what
overflowed before the last start, for checkpoints, and for giving room back to the disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.store.queries import load
from penstock.store.writing import remove, remove_run

if TYPE_CHECKING:
    import sqlite3

    from penstock.store.batch import Batch
    from penstock.store.rows import Removal

__all__ = ["Tidying"]

SQL: Final = load("tidy")
#: References taken away in one go, or as many as came with the last batch: some 5 ms.
SLICE: Final = 1000
#: Bytes written, as estimated, after which the log is checkpointed. Less often is cheaper, as pages
#: that come and go are copied once: 5.3 µs a message at 4 MiB, 5.1 at 16, and 64 made no difference.
CHECKPOINT_AFTER: Final = 16 * 2**20
#: Bytes a row costs beside its content, in both tables and the log.
ROW: Final = 128
#: Pages: free ones below this are kept for what comes next; above it, room is given back.
SPARE_PAGES: Final = 8192
#: Pages given back in one go.
PAGES: Final = 512


class Tidying:
    """What is left to do on the connection of the writer."""

    __slots__ = ("_busy", "_connection", "_overflowed", "_share", "_unchecked", "_void", "idle")

    def __init__(self, connection: sqlite3.Connection, void: int) -> None:
        self._connection = connection
        #: The highest message id of earlier runs: what overflowed up to here is void.
        self._void = void
        #: How far those were looked through; None when there are no more.
        self._overflowed: tuple[int, int, int] | None = (-1, -1, -1)
        self._unchecked = 0
        #: How many references the next slice takes away.
        self._share = SLICE
        #: Whether there is nothing to take away.
        self.idle = False
        #: Whether something was written since room was last given back, or could have been.
        self._busy = False

    def note(self, batch: Batch) -> None:
        """It was written."""
        contents = sum(len(row[2]) for row in batch.plain_messages) + sum(
            len(row[2]) for row in batch.messages
        )
        rows = len(batch.plain_messages) + len(batch.messages) + len(batch.removals) + len(batch.changes)
        self._unchecked += contents + ROW * rows
        # Who takes away as much as came keeps pace, however large the batches are.
        self._share = max(SLICE, rows)
        self._busy = True
        if batch.cleared or batch.dropped:
            self.idle = False

    def slice(self) -> list[str] | None:
        """Take a slice away, inside a transaction; its content files, or None if nothing is left."""
        for take in (self._slice_of_dropped, self.slice_of_cleared, self._slice_of_overflowed):
            files = take()
            if files is not None:
                return files
        self.idle = True
        return None

    def slice_of_cleared(self) -> list[str] | None:
        """Take a slice of the oldest purged spans away; its content files, or None if there are none."""
        files: list[str] | None = None
        execute, room = self._connection.execute, self._share
        # A reader's commits are many short spans, or a few long ones.
        while room and (span := execute(SQL["next_cleared"]).fetchone()):
            number, *place = span
            count, first, last, *messages = execute(SQL["run_of_cleared"], (*place, room)).fetchone()
            files = files or []
            if count and last - first == messages[1] - messages[0] == count - 1:
                # What came together goes together, with nobody else's in between, and without a look at each.
                files += remove_run(self._connection, (*place[:2], first, last), (messages[0], messages[1]))
            elif count:
                files += remove(self._connection, execute(SQL["slice_of_cleared"], (*place, room)).fetchall())
            if count < room:
                execute(SQL["forget_cleared"], (number,))
            else:
                execute(SQL["move_cleared"], (last + 1, number))
            room -= count
        self._share = SLICE
        return files

    def forget_empty(self) -> None:
        """Forget dropped queues nothing is left of: after a start, another queue may get the number."""
        self._connection.execute(SQL["forget_empty"])

    def checkpoint(self, *, at_once: bool = False) -> None:
        """Copy the log into the database if much was written since the last time."""
        if at_once or self._unchecked >= CHECKPOINT_AFTER:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            self._unchecked = 0

    def give_back(self) -> bool:
        """Give some room back to the disk, if much is free and nobody writes; whether there is more."""
        free: int = self._connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free < SPARE_PAGES + PAGES:
            return False
        if not self._busy:
            self._connection.execute(f"PRAGMA incremental_vacuum({PAGES})").fetchall()
        self._busy = False
        return True

    def _slice_of_dropped(self) -> list[str] | None:
        dropped = self._connection.execute(SQL["next_dropped"]).fetchone()
        if dropped is None:
            return None
        number, queue = dropped
        found: list[Removal] = self._connection.execute(SQL["slice_of_dropped"], (queue, SLICE)).fetchall()
        if len(found) < SLICE:
            self._connection.execute(SQL["forget_cleared"], (number,))
        return remove(self._connection, found) if found else []

    def _slice_of_overflowed(self) -> list[str] | None:
        if self._overflowed is None:
            return None
        found = self._connection.execute(SQL["slice_of_overflowed"], (*self._overflowed, SLICE)).fetchall()
        self._overflowed = found[-1][:3] if found else None
        if not found:
            return None
        void = [row for row in found if row[3] <= self._void]
        return remove(self._connection, void) if void else []
