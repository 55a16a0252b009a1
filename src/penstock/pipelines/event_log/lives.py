"""Messages' lives: published, routed, delivered, acked, dead, a row for each step. A transform.

Two brokers tell them, each in its own way:

- Penstock with `message_lives` on, to the exchange `amq.penstock.lives`: messages of the type
  `penstock.lives`, each a JSON list of steps.
- RabbitMQ after `rabbitmqctl trace_on`, to the exchange `amq.rabbitmq.trace`: a message for each that is
  published or delivered, by the routing keys `publish.EXCHANGE` and `deliver.QUEUE`, with what it says of
  it in its headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

from penstock.messaging.headers import ATTEMPTS
from penstock.pipelines.event_log.events import day_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["COLUMNS", "MESSAGE_COLUMNS", "lives"]

#: What is asked of the source.
MESSAGE_COLUMNS: Final = ("position", "type", "routing_key", "arrived", "headers", "body")
#: What the log has.
COLUMNS: Final = (
    *("id", "message_id", "type", "step", "at", "exchange", "routing_key"),
    *("queue", "consumer", "attempt", "reason", "redelivered", "day"),
)

_KIND: Final = "penstock.lives"
#: A step as Penstock tells it, and whether RabbitMQ has delivered the message before.
_STEPS: Final = (
    "array<struct<number:bigint, at:double, step:string, message_id:string, type:string, exchange:string,"
    " routing_key:string, queue:string, consumer:string, attempt:int, reason:string, redelivered:boolean>>"
)
_TRACES: Final = {"publish": "published", "deliver": "delivered"}


def lives(messages: DataFrame) -> DataFrame:
    """What brokers tell, as steps of messages' lives. What is none is left out."""
    verb = F.substring_index("routing_key", ".", 1)
    # Both in one pass: a stream that is read twice would be two readers of the queue.
    told = F.when(F.col("type") == _KIND, F.from_json(F.col("body").cast("string"), _STEPS)).when(
        verb.isin(*_TRACES), F.array(_traced(verb)).cast(_STEPS)
    )
    steps = messages.select("arrived", F.explode(told).alias("told")).select("arrived", "told.*")
    at = F.coalesce(F.timestamp_micros((F.col("at") * 1e6).cast("long")), "arrived", F.current_timestamp())
    step = steps.where("step IS NOT NULL").withColumn("at", at).drop("arrived")
    names = ("message_id", "type", "exchange", "routing_key", "queue", "consumer", "reason")
    return step.select(
        F.sha2(F.concat_ws("\n", "number", "at", "step", "message_id", "queue"), 256).alias("id"),
        *(F.nullif(F.col(name), F.lit("")).alias(name) for name in names),
        "step",
        "at",
        F.coalesce("attempt", F.lit(0)).alias("attempt"),
        F.coalesce("redelivered", F.col("attempt") > 1, F.lit(False)).alias("redelivered"),  # noqa: FBT003  Spark's
        day_of(F.col("at")).alias("day"),
    ).select(*COLUMNS)


def _traced(verb: Column) -> Column:
    """A trace of RabbitMQ's, as Penstock would tell it."""
    steps = F.create_map(*(F.lit(each) for pair in _TRACES.items() for each in pair))
    place = F.substring(F.col("routing_key"), F.length(verb) + 2, F.length("routing_key"))
    failed = F.coalesce(_header(f"properties.headers['{ATTEMPTS}']").try_cast("int"), F.lit(0))
    return F.struct(
        # It has no number of its own, and those that came together say the same of messages without an id.
        F.col("position").alias("number"),
        F.lit(None).alias("at"),
        steps[verb].alias("step"),
        _header("properties.message_id").alias("message_id"),
        _header("properties.type").alias("type"),
        _header("exchange_name").alias("exchange"),
        _header("routing_keys[0]").alias("routing_key"),
        F.when(verb == "deliver", place).alias("queue"),
        F.lit(None).alias("consumer"),
        F.when(verb == "deliver", failed + 1).otherwise(0).alias("attempt"),
        F.lit(None).alias("reason"),
        _header("redelivered").isin("true", "1").alias("redelivered"),
    )


def _header(path: str) -> Column:
    return F.get_json_object("headers", f"$.{path}")
