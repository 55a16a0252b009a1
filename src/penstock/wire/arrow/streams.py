"""IPC streams read from whatever brings bytes, with one copy: from the socket into Arrow's own buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.wire.arrow.library import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Source", "read_stream"]


class Source(Protocol):
    """Where bytes come from."""

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        ...

    def readinto(self, into: memoryview) -> int:
        """Fill a buffer; how far, less than all only at the end."""
        ...


class _File:
    """A source as pyarrow wants to read it."""

    closed = False

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, size: int) -> bytes:
        return self._source.read(size)

    def read_buffer(self, size: int) -> Any:
        """What pyarrow calls for all that is large."""
        buffer = arrow().allocate_buffer(size)
        count = self._source.readinto(memoryview(buffer))
        return buffer if count == size else buffer.slice(0, count)

    def close(self) -> None:
        """The source belongs to who brought it."""


def read_stream(source: Source) -> Iterator[Any]:
    """The record batches of a stream, as they come.

    Raises:
        ArrowMissing: pyarrow is not installed.
    """
    pa = arrow()
    with pa.ipc.open_stream(pa.PythonFile(_File(source), mode="r")) as stream:
        yield from stream
    # What follows the last batch is nothing, but somebody has to have read that.
    source.read(1)
