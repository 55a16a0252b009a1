"""The event log as SQL: views of a session.

- events: all of them. `text` is the body as text, `group_key` the message's group, `attempts` how often it
  had failed.
- events_TYPE: those of one type, its name in lower case with _ for all but letters and digits.
- latest_events: of each type and key the latest. The key is the group, unless an expression is given for
  the type.
- lives: the steps of messages' lives, if they are kept.

A view shows what was there when it was made.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

from penstock.errors import BadExpression
from penstock.messaging.headers import ATTEMPTS, GROUP
from penstock.pipelines.event_log.events import header
from penstock.pipelines.event_log.log import EVENTS, LIVES
from penstock.pipelines.saying import first_line
from penstock.pipelines.tables.reading import read_delta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from penstock.pipelines.event_log.log import EventLog

__all__ = ["latest", "read_events", "read_lives", "register_views", "shown", "view_name"]


def read_events(spark: SparkSession, log: EventLog) -> DataFrame:
    """The events of a log, as the view has them.

    Raises:
        UnknownTable: nothing was ever filed.
    """
    return shown(read_delta(spark, log.location(EVENTS).uri, storage=log.storage))


def read_lives(spark: SparkSession, log: EventLog) -> DataFrame:
    """The steps of messages' lives."""
    return read_delta(spark, log.location(LIVES).uri, storage=log.storage).withColumn(
        "type", F.coalesce("type", F.lit(""))
    )


def shown(events: DataFrame) -> DataFrame:
    """Events with what SQL would otherwise take out of headers and body each time."""
    return events.select(
        *(name for name in events.columns if name != "type"),
        # A partition without a name is how Delta keeps the empty text.
        F.coalesce("type", F.lit("")).alias("type"),
        F.col("body").cast("string").alias("text"),
        header(GROUP).alias("group_key"),
        F.coalesce(header(ATTEMPTS).try_cast("int"), F.lit(0)).alias("attempts"),
    )


def latest(events: DataFrame, keys: Mapping[str, str] | None = None) -> DataFrame:
    """Of each type and key the latest event; those without a key are left out.

    Args:
        events: As `shown`.
        keys: For a type, the SQL that gives its key, such as `get_json_object(text, '$.id')`.

    Raises:
        BadExpression: the SQL cannot be.
    """
    key: Column = F.col("group_key")
    for kind, expression in (keys or {}).items():
        key = F.when(F.col("type") == kind, F.expr(expression).cast("string")).otherwise(key)
    newest = Window.partitionBy("type", "key").orderBy(F.col("at").desc(), F.col("message_id").desc())
    try:
        return (
            events.withColumn("key", key)
            .where("key IS NOT NULL")
            .withColumn("__row", F.row_number().over(newest))
            .where("__row = 1")
            .drop("__row")
        )
    except PySparkException as exc:
        raise BadExpression(f"a key cannot be like that: {first_line(exc)}") from exc


def register_views(spark: SparkSession, log: EventLog, keys: Mapping[str, str] | None = None) -> list[str]:
    """Make the views of a log, and return their names.

    Raises:
        UnknownTable: nothing was ever filed.
        BadExpression: a key's SQL cannot be.
    """
    tables = log.tables()
    views = _views_of_events(spark, log, keys) if EVENTS in tables else {}
    if LIVES in tables:
        views["lives"] = read_lives(spark, log)
    for name, view in views.items():
        view.createOrReplaceTempView(name)
    return list(views)


def _views_of_events(
    spark: SparkSession, log: EventLog, keys: Mapping[str, str] | None
) -> dict[str, DataFrame]:
    events = read_events(spark, log)
    views = {"events": events, "latest_events": latest(events, keys)}
    for kind in sorted({kind for _, kind, _ in log.counts() if kind}):
        views[view_name(kind)] = events.where(F.col("type") == kind)
    return views


def view_name(kind: str) -> str:
    """What the view of a type is called."""
    return f"events_{re.sub(r'[^a-z0-9]+', '_', kind.lower()).strip('_')}"
