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
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.errors import ReaderInUse, StoreDamaged, StoreError, StoreFull
from penstock.pipelines.spool import known
from penstock.pipelines.spool.block import encode
from penstock.pipelines.spool.mark import committed_in, write_mark
from penstock.pipelines.spool.rows import keys_in, new_rows
from penstock.pipelines.spool.seen import REMEMBERED, Seen
from penstock.pipelines.spool.segment import Segment, batches_of, blocks_of, segments_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.pipelines.spool.block import Block
    from penstock.pipelines.spool.lot import Lot
    from penstock.pipelines.spool.rows import NewRows

__all__ = ["SEGMENT_SIZE", "Spool", "committed_in", "maybe_writer"]

#: Bytes after which the next segment is begun.
SEGMENT_SIZE: Final = 64 * 1024 * 1024
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(slots=True)
class _Written:
    """What is whole and on disk of a segment."""

    blocks: list[Block] = field(default_factory=list)
    #: What its messages are known by, so that it is not read once more when it is removed.
    keys: list[bytes] = field(default_factory=list)


class Spool:
    """The writing side, of which there is one: `lock` it first. Any thread may call."""

    def __init__(self, folder: Path, *, segment_size: int = SEGMENT_SIZE) -> None:
        self.folder = folder
        self._segment_size = segment_size
        self._lock: int | None = None
        self._segment: Segment | None = None
        #: By segment, in the order of their positions. Who appends changes only the last one, who commits
        #: only the others.
        self._written: dict[Path, _Written] = {}
        self._seen = Seen()
        #: Appending and committing come from different threads, and neither waits for the other's disk.
        self._appending = threading.Lock()
        self._committing = threading.Lock()
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
            other = _named_in(opened)
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

    @property
    def size(self) -> int:
        """Bytes on disk of what is not committed, by whole segments."""
        last = [written.blocks[-1] for written in list(self._written.values()) if written.blocks]
        return sum(block.end for block in last if block.last > self.committed)

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
        keys = [key for batch in batches_of(path, 0, self.taken) for key in keys_in(batch)]
        self._written[path] = _Written(blocks, keys)
        self._seen.add(keys)

    # Messages

    def append(self, lot: Lot, now: float) -> int:
        """Write down those that are new; the last position, once all are on disk.

        Raises:
            StoreFull: no room is left; none of them was written.
            StoreError: they could not be written; none of them was.
        """
        with self._appending:
            first = self.taken + 1
            new = new_rows(lot, self._seen, first, now)
            self.repeated += len(lot) - new.rows
            if new.rows:
                with self._told():
                    self._write(new, first)
                self._seen.add(new.keys)
                self.taken += new.rows
            return self.taken

    def _write(self, new: NewRows, first: int) -> None:
        if self._segment is not None and self._segment.size >= self._segment_size:
            self._segment.close()
            self._segment = None
        if self._segment is None:
            self._segment = Segment(self.folder, first)
            self._written[self._segment.path] = _Written()
        block, pieces = encode(new.pieces, self._segment.size, first, new.size, new.rows)
        self._segment.append(pieces)
        written = self._written[self._segment.path]
        written.blocks.append(block)
        written.keys += new.keys

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

    def _blocks_after(self, position: int) -> Iterator[Block]:
        # Of copies: the thread that appends does not wait for one that counts.
        for written in list(self._written.values()):
            blocks = written.blocks
            yield from blocks[bisect_right(blocks, position, key=lambda block: block.last) :]

    def commit(self, position: int) -> None:
        """Be done with everything up to a position; segments below it are removed, and soon their keys.

        Raises:
            StoreFull, StoreError: that could not be written down.
        """
        with self._committing, self._told():
            if position > self.committed:
                write_mark(self.folder, position)
                self.committed = position
                self._remove_committed()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The disk's errors as ours."""
        try:
            yield
        except OSError as exc:
            kind = StoreFull if exc.errno in _FULL else StoreError
            raise kind(f"the spool {self.folder} cannot be written to: {exc.strerror}") from exc

    def _remove_committed(self) -> None:
        """Remove what nobody asks for again; the last segment stays, for its name tells the next position."""
        for path, written in list(self._written.items())[:-1]:
            last = written.blocks[-1].last if written.blocks else 0
            if last > self.committed:
                return
            known.retire(path, written.keys)
            del self._written[path]
            known.forget(self.folder, REMEMBERED)


def maybe_writer(folder: Path) -> str | None:
    """Who writes to a spool now, by name; None if nobody does."""
    try:
        opened = os.open(folder / "lock", os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _named_in(opened)
    finally:
        os.close(opened)
    return None


def _named_in(lock: int) -> str:
    return os.pread(lock, 200, 0).decode(errors="replace") or "somebody"


def _cut(path: Path, end: int) -> None:
    """Cut off what was being written when its writer died."""
    if path.stat().st_size > end:
        with path.open("r+b") as file:
            file.truncate(end)
            os.fsync(file.fileno())
