"""The port of contents: bodies too large to be held in memory or in a row.

A body is written and read in pieces, so one of many gigabytes passes through as much memory as a
piece takes. A content belongs to one message: another message with the same body gets a link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Contents", "Growing", "Readable"]


class Growing(Protocol):
    """A content being written; end with `finish` or `abandon`."""

    def append(self, piece: bytes | memoryview) -> None:
        """The next piece.

        Raises:
            StoreError: it could not be written; only `abandon` is left.
        """
        ...

    def finish(self) -> str:
        """Its name. It is made durable by the `write` whose message names it, on the writer's thread."""
        ...

    def abandon(self) -> None:
        """It is not wanted any more."""
        ...


class Readable(Protocol):
    """A content being read, by as many as like; it stays readable even if its message goes."""

    @property
    def length(self) -> int:
        """In bytes."""
        ...

    def read(self, offset: int, size: int) -> bytes:
        """A piece, shorter only at the end."""
        ...

    def close(self) -> None:
        """It is read no more."""
        ...


class Contents(Protocol):
    """All contents of a store."""

    def create(self) -> Growing:
        """Begin one."""
        ...

    def open(self, name: str) -> Readable:
        """Begin to read one.

        Raises:
            StoreDamaged: it is not there.
        """
        ...

    def link(self, name: str) -> str:
        """Another name for the same content, for another message; nothing is copied.

        Raises:
            StoreDamaged: it is not there.
        """
        ...

    def delete(self, names: Iterable[str]) -> None:
        """For those no stored message names; the store itself deletes what its messages named."""
        ...
