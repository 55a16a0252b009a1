"""Events in the order of a replay, from the first that is not done yet.

Spark sorts; the driver gets them a page at a time, so that millions pass through little memory.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

from penstock.errors import PipelineError
from penstock.pipelines.event_log.events import MESSAGE_COLUMNS
from penstock.pipelines.instants import in_utc
from penstock.pipelines.replay.progress import Mark
from penstock.pipelines.saying import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from penstock.pipelines.replay.progress import Progress

__all__ = ["counted", "marked", "pages", "rest_of"]

#: Events that Spark hands over at a time.
PAGE: Final = 20_000
#: Events that are published together at most.
SIZE: Final = 500
_ORDER: Final = ("__at", "__id", "__content")


def counted(events: DataFrame) -> list[tuple[str, str, int]]:
    """How many events there are of each day and type."""
    with _told():
        rows = events.groupBy("day", "type").count().orderBy("day", "type").collect()
    return [(row["day"].isoformat(), row["type"], row["count"]) for row in rows]


def marked(events: DataFrame) -> DataFrame:
    """Events with their place in the order."""
    return events.select(
        *MESSAGE_COLUMNS,
        F.unix_micros("at").alias("__at"),
        F.coalesce("message_id", F.lit("")).alias("__id"),
        F.xxhash64("exchange", "routing_key", "type", "headers", "body").alias("__content"),
    )


def rest_of(events: DataFrame, progress: Progress) -> DataFrame:
    """Those from the last on that is done, itself and its twins included: `pages` passes over them."""
    if progress.last is None:
        return events
    place = F.struct(*_ORDER)
    last = progress.last
    done = F.struct(
        F.lit(last.at).cast("long").alias("__at"),
        F.lit(last.message_id).alias("__id"),
        F.lit(last.content).cast("long").alias("__content"),
    )
    return events.where(place >= done)


def pages(
    events: DataFrame, progress: Progress, size: int = SIZE
) -> Iterator[list[tuple[Mark, dict[str, Any]]]]:
    """What is left to do, in order, some at a time.

    Args:
        events: Marked, and from the last on that is done.
        progress: What is done.
        size: Events in one page.

    Raises:
        PipelineError: Spark could not read or judge an event.
    """
    to_skip = progress.twins
    page: list[tuple[Mark, dict[str, Any]]] = []
    with _told():
        for row in _ordered(events).toLocalIterator(prefetchPartitions=True):
            mark = Mark(*(row[name] for name in _ORDER))
            if to_skip and mark == progress.last:
                to_skip -= 1
                continue
            page.append((mark, {name: in_utc(row[name]) for name in MESSAGE_COLUMNS}))
            if len(page) == size:
                yield page
                page = []
    if page:
        yield page


def _ordered(events: DataFrame) -> DataFrame:
    """Sorted, in partitions of a page: one is in memory at a time, and few need no shuffle."""
    count = events.count()
    parts = events.coalesce(1) if count <= PAGE else events.repartitionByRange(ceil(count / PAGE), *_ORDER)
    return parts.sortWithinPartitions(*_ORDER)


@contextmanager
def _told() -> Iterator[None]:
    """Whatever Spark fails with is told in one line: a cast in `--where` that a row does not stand."""
    try:
        yield
    except PySparkException as exc:
        raise PipelineError(f"the events could not be read: {first_line(exc)}") from exc
