"""The port of the source: messages that are taken off a queue under positions, and stay until committed.

Two adapters: a reader of a Penstock broker (penstock_taking.py) and a spool for others (spool_taking.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from penstock.client.reader import ReaderState

__all__ = ["IDLE_IN", "Taking"]

#: Seconds for which an idle query waits at its queue. Spark would ask a hundred times a second: measured,
#: that took a fifth of a core, and what came was seen later. Who stops a query waits for so long at most.
IDLE_IN: Final = 0.25


class Taking(Protocol):
    """A queue under one reader's name. `open` it; lease it to take and to commit. Any thread may call."""

    def open(self) -> ReaderState:
        """See that everything is there; how far the reader is.

        Raises:
            UnknownQueue, LoginRefused, NotPermitted, NotConnected, BadUrl: each with one sentence that says
            all.
        """
        ...

    def lease(self, holder: str, seconds: float) -> None:
        """Be the one who takes and commits; to be repeated before the time is over. No time at all ends it.

        Raises:
            ReaderInUse: somebody else is.
        """

    def take(self, after: int, rows: int, size: int, target: int | None = None) -> int:
        """The end of a range behind a position: so many rows and bytes at most, one row if there is any.

        If there is none and no target, the first is waited for, for `IDLE_IN`.

        Args:
            after: What was taken behind this position before comes first, then what waits in the queue.
            rows, size: Limits of the range. Bytes count in what is taken now.
            target: Nothing behind this position is wanted, and what is before it is waited for.

        Returns:
            The last position of the range, which is on disk; `after` if there is nothing.
        """
        ...

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The messages at positions start < p <= end; needs no lease, and neither `open`."""
        ...

    def commit(self, position: int) -> None:
        """Be done with everything up to a position; to go back is no change."""

    def close(self) -> None:
        """Let go of connections and files. What was taken stays."""
