"""A spool: what was taken off a queue, on disk, under positions, until it is committed.

A folder that every executor sees. One process writes; any number read. Whoever appends is answered when all
is on disk, and acknowledges at the broker only then; so nothing is lost, and what the broker delivers again
is recognised (seen.py). It survives kill -9 at any point:

* within an append: the torn block is cut off when the spool is opened, the broker delivers its messages
again;
* between append and acknowledgement: the broker delivers again what is known here;
* within a commit: the mark is replaced as a whole, and segments below it are removed at the next opportunity.

    lock                             held by the process that writes; says who that is
    committed                        the position up to which all is done with
    00000000000000000001.segment …   blocks of messages, the first one's position in the name
    00000000000000000001.known …     what the messages of a removed segment are known by
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import threading
from typing import TYPE_CHECKING, Final

from penstock.errors import ReaderInUse, StoreDamaged, StoreError, StoreFull
from penstock.pipelines.spool import known
from penstock.pipelines.spool.block import encode
from penstock.pipelines.spool.rows import keys_in, new_rows
from penstock.pipelines.spool.seen import REMEMBERED, Seen
from penstock.pipelines.spool.segment import Segment, batches_of, blocks_of, segments_of, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from penstock.pipelines.spool.block import Block
    from penstock.pipelines.spool.feed import Fed

__all__ = ["SEGMENT_SIZE", "Spool", "committed_in", "read"]

#: Bytes after which the next segment is begun.
SEGMENT_SIZE: Final = 64 * 1024 * 1024
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class Spool:
    """The writing side, of which there is one: `lock` it first. Any thread may call."""

    def __init__(self, folder: Path, *, segment_size: int = SEGMENT_SIZE) -> None:
        self.folder = folder
        self._segment_size = segment_size
        self._lock: int | None = None
        self._segment: Segment | None = None
        #: By segment: its blocks, which are whole and on disk.
        self._blocks: dict[Path, list[Block]] = {}
        self._seen = Seen()
        #: Appending and committing come from different threads.
        self._writing = threading.Lock()
        self.committed = 0
        #: The last position that is on disk.
        self.taken = 0
        #: Messages that were delivered again and left out.
        self.repeated = 0

    def __repr__(self) -> str:
        return f"<Spool {self.folder}, {self.taken - self.committed} messages up to {self.taken}>"

    def lock(self, holder: str) -> None:
        """Be the one who writes, and find out what is there; a second time nothing happens.

        Raises:
            ReaderInUse: another process is, and who.
            StoreDamaged: a file in the middle is missing or broken.
            StoreError: the folder cannot be used.
        """
        if self._lock is not None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            opened = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as exc:
            raise StoreError(f"the spool {self.folder} cannot be used: {exc.strerror}") from exc
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            other = os.pread(opened, 200, 0).decode(errors="replace") or "somebody"
            os.close(opened)
            raise ReaderInUse(
                f"the spool {self.folder} is in use by {other}", holder=other, until=math.inf
            ) from exc
        os.ftruncate(opened, 0)
        os.pwrite(opened, holder.encode(), 0)
        self._lock = opened
        self._recover()

    def close(self) -> None:
        """Let somebody else write."""
        if self._segment is not None:
            self._segment.close()
            self._segment = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # What is there

    def _recover(self) -> None:
        self.committed = self.taken = committed_in(self.folder)
        for keys in known.keys(self.folder):
            self._seen.add(keys)
        paths = segments_of(self.folder)
        for path in paths:
            blocks = blocks_of(path, checked=path == paths[-1])
            if path == paths[-1]:
                _cut(path, blocks[-1].end if blocks else 0)
            self._adopt(path, blocks)
        self._remove_committed()

    def _adopt(self, path: Path, blocks: list[Block]) -> None:
        for block in blocks:
            if block.first > self.taken + 1:
                raise StoreDamaged(
                    f"the spool {self.folder} has nothing between positions {self.taken} and {block.first}:"
                    f" a file before {path.name}, or a part of one, is missing"
                )
            self.taken = max(self.taken, block.last)
        self._blocks[path] = blocks
        for batch in batches_of(path, 0, self.taken):
            self._seen.add(keys_in(batch))

    # Messages

    def append(self, messages: Sequence[Fed], now: float) -> int:
        """Write down those that are new; the last position, once all are on disk.

        Raises:
            StoreFull: no room is left; none of them was written.
            StoreError: they could not be written; none of them was.
        """
        with self._writing:
            first = self.taken + 1
            new = new_rows(messages, self._seen, first, now)
            self.repeated += len(messages) - new.rows
            if new.rows:
                try:
                    self._write(new.pieces, first, new.size, new.rows)
                except OSError as exc:
                    kind = StoreFull if exc.errno in _FULL else StoreError
                    raise kind(f"the spool {self.folder} cannot be written to: {exc.strerror}") from exc
                self._seen.add(new.keys)
                self.taken += new.rows
            return self.taken

    def _write(self, pieces: list[bytes | memoryview], first: int, size: int, rows: int) -> None:
        if self._segment is not None and self._segment.size >= self._segment_size:
            self._segment.close()
            self._segment = None
        if self._segment is None:
            self._segment = Segment(self.folder, first)
            self._blocks[self._segment.path] = []
        block, data = encode(pieces, self._segment.size, first, size, rows)
        self._segment.append(data)
        self._blocks[self._segment.path].append(block)

    def reach(self, after: int, rows: int, size: int) -> int:
        """The last position that so many rows and bytes behind that one allow; one row they always do.

        Blocks are not taken apart to count bytes: the rows of one are supposed to be of one size.
        """
        begun = after
        for block in self._blocks_after(after):
            fitting = size * block.rows // block.size if block.size else block.rows
            room = max(min(rows, fitting, block.last - after), int(after == begun))
            after += room
            rows -= room
            size -= block.size * room // block.rows
            if after < block.last:
                break
        return after

    def _blocks_after(self, position: int) -> list[Block]:
        # A copy: the thread that appends does not wait for one that counts.
        everything = [block for blocks in list(self._blocks.values()) for block in tuple(blocks)]
        return [block for block in everything if block.last > position]

    def commit(self, position: int) -> None:
        """Be done with everything up to a position; segments below it are removed, and soon their keys."""
        with self._writing:
            if position > self.committed:
                _write_mark(self.folder, position)
                self.committed = position
                self._remove_committed()

    def _remove_committed(self) -> None:
        """Remove what nobody asks for again; the last segment stays, for its name tells the next position."""
        for path in list(self._blocks)[:-1]:
            blocks = self._blocks[path]
            last = blocks[-1].last if blocks else 0
            if last > self.committed:
                return
            known.retire(path, last)
            del self._blocks[path]
            known.forget(self.folder, REMEMBERED)


def read(folder: Path, start: int, end: int) -> Iterator[pa.RecordBatch]:
    """The messages at positions start < p <= end, for any process; columns as they travel.

    Raises:
        StoreDamaged: some of them are not there.
    """
    paths = segments_of(folder)
    # A segment ends where the next one begins.
    wanted = [
        path
        for path, following in zip(paths, [*paths[1:], None], strict=True)
        if _first(path) <= end and (following is None or _first(following) > start + 1)
    ]
    count = 0
    for path in wanted:
        for batch in batches_of(path, start, end):
            count += batch.num_rows
            yield batch
    if count != end - start:
        raise StoreDamaged(
            f"the spool {folder} has {count} of {end - start} messages from position {start + 1} to {end}:"
            " this process does not see all its files, or they were removed"
        )


def committed_in(folder: Path) -> int:
    """The position up to which all in a folder is done with."""
    try:
        return int((folder / "committed").read_text())
    except FileNotFoundError:
        return 0


def _first(path: Path) -> int:
    return int(path.stem)


def _write_mark(folder: Path, position: int) -> None:
    partial = folder / "committed.partial"
    with partial.open("w") as file:
        file.write(str(position))
        file.flush()
        os.fsync(file.fileno())
    partial.rename(folder / "committed")
    sync_folder(folder)


def _cut(path: Path, end: int) -> None:
    """Cut off what was being written when its writer died."""
    if path.stat().st_size > end:
        with path.open("r+b") as file:
            file.truncate(end)
            os.fsync(file.fileno())
