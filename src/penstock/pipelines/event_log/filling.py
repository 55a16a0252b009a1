"""Filling the event log from queues: the queries, and where they keep how far they have come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import BadSetting
from penstock.pipelines.declared.sources import BROKER, Queue
from penstock.pipelines.event_log.events import MESSAGE_COLUMNS
from penstock.pipelines.event_log.lives import MESSAGE_COLUMNS as LIFE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.event_log.log import EventLog

__all__ = ["Filling"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """From which queues a log is filled.

    - events: a queue that gets every event.
    - lives: a queue that gets what the broker tells of messages' lives.
    - url: the broker, as the source takes it; by the name of a variable, so that no plan shows its password.
    - spool: a folder that executors see, for a broker that is not Penstock.
    - checkpoints: a folder; None is beside the log.
    """

    log: EventLog
    events: str | None = None
    lives: str | None = None
    url: str = BROKER
    spool: str | None = None
    checkpoints: str | None = None

    def check(self) -> None:
        """Find out whether the queues are there, before Spark is.

        Raises:
            BadPipeline: one is not, or cannot be read.
            BadSetting: nobody says where the checkpoints go.
        """
        if self.checkpoints is None and self.log.folder is None:
            raise BadSetting(
                f"{self.log.path} is no folder of this machine: say --checkpoints", setting="checkpoints"
            )
        for name, queue, _ in self._queues():
            queue.check(name)

    def start(self, spark: SparkSession, every: float | None) -> list[StreamingQuery]:
        """Begin; all that waits now and no more if nobody says how often."""
        queries = []
        for name, queue, kind in self._queues():
            messages = queue.load(spark, name)
            writer: DataStreamWriter = (self.log.stream if kind == "events" else self.log.stream_lives)(
                messages
            )
            writer = writer.queryName(name).option("checkpointLocation", f"{self._checkpoints()}/{kind}")
            if every is None:
                writer = writer.trigger(availableNow=True)
            else:
                writer = writer.trigger(processingTime=f"{every} seconds")
            queries.append(writer.start())
        return queries

    def _queues(self) -> Iterator[tuple[str, Queue, str]]:
        """Each query's name, its queue and what comes out of it."""
        kinds = (("events", self.events, MESSAGE_COLUMNS), ("lives", self.lives, LIFE_COLUMNS))
        for kind, queue, columns in kinds:
            if queue is not None:
                name = f"event-log-{kind}"
                yield name, Queue(queue, url=self.url, reader=name, columns=columns, spool=self.spool), kind

    def _checkpoints(self) -> str:
        return self.checkpoints or f"{self.log.folder}/checkpoints"
