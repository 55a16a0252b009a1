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

from penstock.pipelines.source.door import tell
from penstock.pipelines.source.offset import DOOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["acknowledge", "done_in"]

log = logging.getLogger(__name__)


def acknowledge(progress: str) -> None:
    """A batch of some query is done; one without a source of ours is none of our business.

    Args:
        progress: In Spark's words.
    """
    for door, position in done_in(json.loads(progress)["sources"]):
        try:
            trouble = tell(door, position)
        except OSError as error:
            trouble = f"nobody at {door}: {error}"
        if trouble:
            log.info("position %d is committed later: %s", position, trouble)


def done_in(sources: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """The doors to knock at, and how far all is done behind each.

    Args:
        sources: Of each: where the batch ended, and what the source reported.
    """
    for source in sources:
        door = _fields(source.get("latestOffset")).get(DOOR)
        position = _fields(source.get("endOffset")).get("position")
        if isinstance(door, str) and door and isinstance(position, int):
            yield door, position


def _fields(offset: Any) -> Mapping[str, Any]:
    """Others' offsets are numbers, texts, or nothing."""
    return offset if isinstance(offset, dict) else {}
