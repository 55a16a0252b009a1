"""The statistics of planets, recalculated by Spark whenever a building was upgraded or has worked.

    MQ_URL=amqp://… KENO_DATABASE_URL=sqlite:///… penstock pipelines run examples.keno.statistics

It is one more subscriber of `ps_building`, with a pipe of its own that waits for it when it is away: neither
the workers nor the gateways notice. An event that comes twice is known by its message id. What it has counted
is in the pipeline's checkpoint; the game serves the table, and clients are told of each row that has changed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec
from pyspark.sql import functions as F  # noqa: N812 (as Spark's own manual has it)

from examples.keno.game import BUILDING_CHANNEL
from examples.keno.planet_statistics import ROUTE, STATISTICS_CHANNEL, planet_statistics
from penstock.client import Binding, Exchange, Outgoing
from penstock.client import Queue as BrokerQueue
from penstock.client.sync import connect
from penstock.pipelines.declared import Queue, Upsert, pipeline
from penstock.pipelines.options import resolve
from penstock.pipelines.tables.upserts.sink import UpsertSink
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.declared.ports import Spared

__all__ = ["PIPE", "BuildingEvent", "BuildingMessage", "Pipe", "Served", "statistics"]

PIPE: Final = f"{BUILDING_CHANNEL}_statistics"
#: Events that wait for a Spark that is away.
LONGEST: Final = 1_000_000
DATABASE: Final = "env:KENO_DATABASE_URL"
BROKER: Final = "env:MQ_URL"
#: For how long an event that comes again is known.
KNOWN: Final = "1 hour"


class BuildingEvent(msgspec.Struct, frozen=True):
    """What has happened to a building; it has reached a level, or dug some ore."""

    building_id: int
    body_id: int
    empire_id: int
    kind: str
    level: int = 0
    ore: int = 0


class BuildingMessage(msgspec.Struct, frozen=True):
    """A message of the channel."""

    route: str
    content: BuildingEvent


@dataclass(frozen=True, slots=True)
class Pipe(Queue):
    """A pipe that stays when its subscriber is away, made when that first comes."""

    def check(self, pipeline: str) -> None:
        """Have the pipe, then look whether it can be read."""
        with connect(resolve(self.url)) as client:
            client.declare(
                Exchange(BUILDING_CHANNEL, "fanout"),
                BrokerQueue(self.queue, arguments={"x-max-length": LONGEST, "x-overflow": "drop-head"}),
                Binding(BUILDING_CHANNEL, self.queue),
            )
        Queue.check(self, pipeline)


@dataclass(frozen=True, slots=True)
class Served(Upsert):
    """The table that the game serves; clients are told of what has changed there."""

    broker: str = field(default=BROKER, repr=False)

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        """Upsert a batch, then tell of it."""
        sink = UpsertSink(resolve(self.url), self.table, self.key)
        sink.check(rows.columns)

        def apply(changed: DataFrame, number: int) -> None:
            changed.persist()
            try:
                sink.apply(changed, number)
                self._tell(changed, f"{pipeline}/{number}")
            finally:
                changed.unpersist()

        return rows.writeStream.outputMode("update").foreachBatch(apply)

    def _tell(self, changed: DataFrame, batch: str) -> None:
        """Publish each row to its empire. A batch that is done again has the same messages."""
        messages = [_message(row.asDict(), batch) for row in changed.collect()]
        if messages:
            with connect(resolve(self.broker)) as client:
                client.declare(Exchange(STATISTICS_CHANNEL, "fanout"))
                client.publish_many(messages)


def _message(row: dict[str, object], batch: str) -> Outgoing:
    body = {"route": ROUTE, "user_id": row["empire_id"], "content": row}
    name = f"{batch}/{row['body_id']}"
    properties = BasicProperties.of(content_type="application/json", message_id=name)
    # Nobody may be there to be told; the table has it.
    return Outgoing(STATISTICS_CHANNEL, "", msgspec.json.encode(body), properties, mandatory=False)


@pipeline(
    "statistics",
    source=Pipe(
        PIPE,
        BuildingMessage,
        columns=("message_id", "arrived"),
        # For a broker that is not Penstock.
        spool=os.environ.get("KENO_SPOOL"),
    ),
    sink=Served(DATABASE, planet_statistics.name, key=("body_id",)),
)
def statistics(messages: DataFrame) -> DataFrame:
    """A row for each planet that something has happened on."""
    events = _once(messages.where("bad IS NULL")).select("arrived", "route", "content.*")
    return events.groupBy("body_id").agg(
        F.max_by("empire_id", "arrived").alias("empire_id"),
        F.count_if(F.col("route") == "/building/upgraded").alias("upgrades"),
        F.max("level").alias("highest"),
        F.count_if(F.col("route") == "/building/worked").alias("shifts"),
        F.sum("ore").alias("ore"),
        F.max("arrived").cast("double").alias("last_at"),
    )


def _once(messages: DataFrame) -> DataFrame:
    """Each message once, in a table or, for as long as it is known, in a stream."""
    if not messages.isStreaming:
        return messages.dropDuplicates(["message_id"])
    return messages.withWatermark("arrived", KNOWN).dropDuplicatesWithinWatermark(["message_id"])
