"""Reading a spool, in any process that sees its folder; whoever writes it is not asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import StoreDamaged
from penstock.pipelines.spool.segment import batches_of, segments_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

__all__ = ["read"]


def read(folder: Path, start: int, end: int) -> Iterator[pa.RecordBatch]:
    """The messages at positions start < p <= end, columns as they travel.

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


def _first(path: Path) -> int:
    return int(path.stem)
