"""What is left of segments that were removed: the keys of their messages, which may be delivered again.

A file for each, named after the same position; the oldest go when the rest is enough.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from penstock.pipelines.spool.rows import keys_in
from penstock.pipelines.spool.segment import batches_of, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["SUFFIX", "forget", "keys", "retire"]

SUFFIX: Final = ".known"


def retire(segment: Path, last: int) -> None:
    """Remove a segment that ends there; its keys stay."""
    lines = [key for batch in batches_of(segment, 0, last) for key in keys_in(batch) if key]
    partial = segment.with_suffix(".partial")
    with partial.open("wb") as file:
        # A key holds a sender's id, which may be anything.
        file.write("\0".join(lines).encode("utf-8", "surrogateescape"))
        os.fsync(file.fileno())
    partial.rename(segment.with_suffix(SUFFIX))
    sync_folder(segment.parent)
    segment.unlink()


def keys(folder: Path) -> Iterator[list[str]]:
    """The keys of each removed segment, the oldest first."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        yield text.split("\0") if text else []


def forget(folder: Path, enough: int) -> None:
    """Remove the oldest files as long as those after them hold enough."""
    held = 0
    for path, some in reversed(list(zip(sorted(folder.glob(f"*{SUFFIX}")), keys(folder), strict=True))):
        if held >= enough:
            path.unlink()
        held += len(some)
