"""A segment: a file of blocks, named after its first position, appended to and in the end removed.

Any process may read one while it is written to: a block is looked for only after its position was promised,
hence after it was whole and on disk.
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from penstock.durable import sync
from penstock.pipelines.spool.block import HEADER_SIZE, Block, maybe_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["SUFFIX", "Segment", "batches_of", "blocks_of", "segments_of"]

SUFFIX: Final = ".segment"


class Segment:
    """A segment that is written to."""

    def __init__(self, folder: Path, first: int) -> None:
        self.path = folder / f"{first:020d}{SUFFIX}"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.size = os.fstat(self._file).st_size
        if not self.size:
            sync(folder)  # the file's name is on disk before anything in it is promised

    def __repr__(self) -> str:
        return f"<Segment {self.path.name}, {self.size} bytes>"

    def append(self, block: Sequence[bytes | memoryview]) -> None:
        """Write the pieces of a block; it is on disk when this returns.

        Raises:
            OSError: it is not; what was written of it is taken back, so that the next one follows the last.
        """
        size = sum(map(len, block))
        try:
            # All at once, without joining them to one; a disk that is nearly full takes less.
            written = os.writev(self._file, block)
            if written < size:
                left = memoryview(b"".join(block))[written:]
                while left:
                    left = left[os.write(self._file, left) :]
            os.fdatasync(self._file)
        except OSError:
            os.ftruncate(self._file, self.size)
            raise
        self.size += size

    def close(self) -> None:
        """Write no more."""
        os.close(self._file)


def segments_of(folder: Path) -> list[Path]:
    """The segments in a folder, in the order of their positions."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def blocks_of(path: Path, *, checked: bool = False) -> list[Block]:
    """The whole blocks at the beginning of a segment."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return []
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as view:
            return list(_blocks(view, checked=checked))


def _blocks(view: memoryview, *, checked: bool) -> Iterator[Block]:
    at = 0
    while (block := maybe_block(view, at, checked=checked)) is not None:
        yield block
        at = block.end


def batches_of(path: Path, start: int, end: int) -> Iterator[pa.RecordBatch]:
    """The messages of a segment at positions start < p <= end; the memory is the file's own."""
    with pa.memory_map(str(path)) as mapped:
        whole = mapped.read_buffer()
    for block in _blocks(memoryview(whole), checked=False):
        if block.first > end:
            return
        if block.last <= start:
            continue
        skipped = max(start + 1 - block.first, 0)
        with pa.ipc.open_stream(whole.slice(block.at + HEADER_SIZE, block.payload)) as stream:
            for batch in stream:
                yield batch.slice(skipped, min(block.last, end) - block.first + 1 - skipped)
