"""Offsets: how far a query is, as Spark writes it into the checkpoint. Pure.

An offset names the queue and the reader besides the position, so that a checkpoint that belongs to another
reader is noticed before anything is read. No secret is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import CheckpointMismatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.pipelines.options import SourceOptions

__all__ = ["DOOR", "offset_at", "position_in"]

#: Where the planner can be told that a batch is done; only in what is reported, never in a checkpoint.
DOOR: Final = "door"


def offset_at(options: SourceOptions, position: int) -> dict[str, Any]:
    """The offset of a position."""
    return {"queue": options.queue, "reader": options.reader, "position": position}


def position_in(options: SourceOptions, offset: Mapping[str, Any]) -> int:
    """The position of an offset.

    Raises:
        CheckpointMismatch: it is of another queue or reader.
    """
    found = (offset.get("queue"), offset.get("reader"))
    if found != (options.queue, options.reader):
        raise CheckpointMismatch(
            f"the checkpoint is of reader {found[1]!r} of queue {found[0]!r}, not of {options.reader!r} of"
            f" {options.queue!r}: give the query a checkpoint of its own"
        )
    return int(offset["position"])
