"""Acknowledgements that leave as soon as a batch is done.

Spark tells a source that a batch may be forgotten only while it plans the next one; a query with a long
trigger, or one that falls idle, would keep its last batch for as long. A listener in the driver's program
hears of each batch when it is done, and tells the planner through its door, which holds lease and password.
What it does not reach is committed by the planner itself, later (source/stream.py); so nothing here may
fail a query.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from penstock.pipelines.source.door import tell
from penstock.pipelines.source.offset import DOOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql.streaming.listener import (
        QueryIdleEvent,
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
    )

__all__ = ["Acking", "done_in"]

log = logging.getLogger(__name__)


class Acking(StreamingQueryListener):
    """Listens to all queries of a session; those without a source of ours are none of its business."""

    def __repr__(self) -> str:
        return "<Acking>"

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 (Spark's names, here and below)
        for door, position in done_in(
            (source.endOffset, source.latestOffset) for source in event.progress.sources
        ):
            try:
                trouble = tell(door, position)
            except OSError as error:
                trouble = f"nobody at {door}: {error}"
            if trouble:
                log.info("position %d is committed later: %s", position, trouble)

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """Nothing is done yet."""

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """What was done was told before."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """The planner has ended."""


def done_in(offsets: Iterator[tuple[str | None, str | None]]) -> Iterator[tuple[str, int]]:
    """The doors to knock at, and how far all is done behind each.

    Args:
        offsets: Of each source: the end of the batch, and what the source reported, both in JSON.
    """
    for end, reported in offsets:
        door, position = _read(reported).get(DOOR), _read(end).get("position")
        if isinstance(door, str) and door and isinstance(position, int):
            yield door, position


def _read(text: str | None) -> Mapping[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
