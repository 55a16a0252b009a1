"""The port of the store: what a broker asks of the place where things outlive it.

Two threads use it: `write` and `tidy` belong to the broker's one writer thread, everything else to its loop;
only `fetch_raw` may be called by any thread. A store keeps rows and gives them back; what they mean is the
broker's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.errors import StoreDamaged
    from penstock.store.batch import Batch
    from penstock.store.contents import Contents
    from penstock.store.joined import Joined
    from penstock.store.rows import Definition, Expiry, Found, Line, Raw, Standing, Taking

__all__ = ["Store"]


class Store(Protocol):
    """A durable log of definitions, messages and references."""

    @property
    def contents(self) -> Contents:
        """Bodies too large for a row. Name one in a message's `file`; `tidy` deletes it after the message."""
        ...

    @property
    def damaged(self) -> Sequence[StoreDamaged]:
        """What could not be read back when the store was opened, and was put aside."""
        ...

    # The writer thread

    def write(self, batch: Batch) -> None:
        """Write all of it. When this returns it is durable, and its confirms may leave.

        Raises:
            StoreError: nothing was written. The same batch may be tried again, and that makes sense
                with StoreFull.
        """
        ...

    def tidy(self) -> bool:
        """Do a little of what can wait until the confirms have left; whether more is left to do.

        Call it once after each `write`, and when there is nothing to write as long as it says so. It
        takes away what was cleared, dropped or overflowed before the last start, and the content files
        of messages that are gone; it checkpoints, and gives room back to the disk.

        Raises:
            StoreError: try again later.
        """
        ...

    # The loop

    def definitions(self) -> list[Definition]:
        """All definitions, in order of kind and key."""
        ...

    def lines(self) -> list[Line]:
        """What stands where, in order of queue and priority; dropped queues may still be among them."""
        ...

    def takings(self) -> list[Taking]:
        """What readers have taken and not committed wholly, in order of reader and position."""
        ...

    def settle_takings(self) -> None:
        """Move what readers have taken out of its queues' lines. Once, before anything else is read.

        While a broker runs it knows which rows of a line are taken, and they can stay there.
        """
        ...

    def last_message(self) -> int:
        """The highest message id in use; 0 for none."""
        ...

    def fetch(self, queue: int, priority: int, first: int, below: int, limit: int) -> list[Found]:
        """The first `limit` that are READY or OVERFLOWED with first <= sequence < below, in order."""
        ...

    def nth(self, queue: int, priority: int, first: int, below: int, skip: int) -> int | None:
        """The sequence of the one that `fetch` would find after `skip` others; None if there are fewer."""
        ...

    def fetch_raw(
        self, front: int, queue: int, priority: int, first: int, below: int, limit: int
    ) -> list[Raw] | Joined:
        """What `fetch` finds, as this front has written it: a part of the work.

        They may come as one if they are alike.
        """
        ...

    def run(
        self, queue: int, priority: int, first: int, below: int, limit: int, *, weighed: bool
    ) -> tuple[int, int, int, int]:
        """How many of the first `limit` that are READY in a line, the first and last sequence, their length.

        Only if it is `weighed` their length is told, and not 0; it reads every one's row then, and tells of
        none if there is more to some than a plain row says.
        """
        ...

    def aside(self, queue: int, standing: Standing, after: tuple[int, int], limit: int) -> list[Found]:
        """The first `limit` that are DELAYED, or BURIED, after this (priority, sequence), in order."""
        ...

    def expiring(self, queue: int, after: Expiry, limit: int) -> list[Found]:
        """The first `limit` that `fetch` finds and that expire after this place, in order of expiry."""
        ...

    def weigh(self, queue: int) -> int:
        """The length of all messages in the queue, in bytes. It reads every one's row."""
        ...

    def close(self) -> None:
        """Leave everything as the last `write` left it."""
        ...
