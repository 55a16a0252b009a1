"""A durable reader of a queue: take messages, read them by position as often as needed, commit.

What is taken is this reader's, under positions that never change, until it is committed; processes may die
in between, the broker too. See docs/howto/queues-as-tables.md. Needs a Penstock broker: others have no
readers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.client.web import Web, path_of
from penstock.wire.arrow import ALL_COLUMNS, friendly, read_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

__all__ = ["QueueReader", "ReaderState"]

#: Seconds without a byte from the broker.
TIMEOUT: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderState:
    """How far a reader is."""

    #: Positions up to this one are done with and forgotten.
    committed: int
    #: The last position given: `read(committed, taken)` is what is in hand.
    taken: int
    #: Messages that the queue would give now.
    waiting: int
    #: When the oldest of what is taken or waiting came, in seconds since 1970; None if there is nothing.
    oldest_at: float | None


class QueueReader:
    """One reader of one queue. Any thread may use it; several processes may have one of the same name."""

    def __init__(self, url: str, queue: str, name: str, *, timeout: float = TIMEOUT) -> None:
        """Nothing is opened before the first verb.

        Args:
            url: amqp://user:password@host:port/vhost, or amqps://, with the parameters of penstock.client.
            timeout: seconds without a byte from the broker after which NotConnected is raised.

        Raises:
            BadUrl: it cannot be read.
        """
        self.queue = queue
        self.name = name
        self._web = Web(url, timeout)
        self._path = path_of("api", "readers", self._web.url.virtual_host, queue, name)
        self._holder = ""

    def __repr__(self) -> str:
        return f"<QueueReader {self.name!r} of {self.queue!r} at {self._web.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    # The verbs

    def open(self) -> ReaderState:
        """Make the reader if it is new.

        Raises:
            UnknownQueue, LoginRefused, NotPermitted, NotConnected: each with one sentence that says all.
        """
        return _state(self._web.ask("PUT", self._path))

    def state(self) -> ReaderState:
        """How far it is.

        Raises:
            UnknownReader: it was never opened, or is deleted; and as `open`.
        """
        return _state(self._web.ask("GET", self._path))

    def lease(self, holder: str, seconds: float) -> None:
        """Be the one who takes and commits, for so long; the same holder may ask again to stay it.

        Raises:
            ReaderInUse: somebody else is, and until when; and as `state`.
        """
        self._web.ask("POST", f"{self._path}/lease", {"holder": holder, "seconds": seconds})
        self._holder = holder

    def take(self, rows: int, size: int, wait: float = 0.0) -> int:
        """Take at most so many messages and bytes off the queue, at least one if any waits.

        Args:
            wait: seconds for which the broker waits for the first if there is none; ten at most.

        Returns:
            The last position given; what was taken is on the broker's disk.

        Raises:
            ReaderInUse: somebody else has the lease; and as `state`.
        """
        said = {"rows": rows, "size": size, "holder": self._holder, "wait": wait}
        taken: int = self._web.ask("POST", f"{self._path}/take", said)["taken"]
        return taken

    def read(self, start: int, end: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The messages at positions start < p <= end, as pyarrow.RecordBatch; no lease is needed.

        Args:
            columns: which, in which order; penstock.wire.arrow.ALL_COLUMNS if not said. Fewer are faster.

        Raises:
            ArrowMissing: pyarrow is not installed, here or at the broker; and as `state`.
        """
        wanted = tuple(ALL_COLUMNS if columns is None else columns)
        with self._web.send("GET", f"{self._path}/range?start={start}&end={end}") as answer:
            for batch in read_stream(answer):
                yield friendly(batch, wanted)

    def expect(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Tell the broker which ranges will be read next: it begins with them while nothing is read.

        Raises:
            ReaderInUse: somebody else has the lease; and as `state`.
        """
        self._web.ask("POST", f"{self._path}/expect", {"ranges": ranges, "holder": self._holder})

    def commit(self, position: int) -> None:
        """Be done with everything up to a position; returns when the broker has written that down.

        Raises:
            CommitAhead: it was not taken yet.
            ReaderInUse: somebody else has the lease; and as `state`.
        """
        self._web.ask("POST", f"{self._path}/commit", {"position": position, "holder": self._holder})

    def delete(self) -> None:
        """Delete the reader: what is not committed goes back to its queue, where it was."""
        self._web.ask("DELETE", self._path)

    def close(self) -> None:
        """Close the connections; the reader stays."""
        self._web.close()


def _state(said: dict[str, Any]) -> ReaderState:
    return ReaderState(
        committed=said["committed"],
        taken=said["taken"],
        waiting=said["waiting"],
        oldest_at=said["oldest_at"],
    )
