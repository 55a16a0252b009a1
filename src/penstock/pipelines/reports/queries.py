"""The questions of the reports, each a transform: events or lives in, a small table out.

- rates: how many events of each type, in each span of time.
- retries: how many deliveries were a first, a second, a third attempt, by consumer.
- failures: why messages died, by consumer and type.
- lead_times: from published to acked, by route and consumer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["failures", "lead_times", "rates", "retries", "span_for", "within"]

#: The spans that rates are counted in: seconds, and what they are called.
SPANS: Final = ((1, "second"), (60, "minute"), (600, "10 minutes"), (3600, "hour"), (86400, "day"))
#: Points of a curve at most: more would be a smear.
MOST_POINTS: Final = 200
#: What Spark's percentiles may be off by: one part in so many.
_ACCURACY: Final = 1000


def span_for(seconds: float) -> tuple[int, str]:
    """The span in which so long a time is counted."""
    return next((span for span in SPANS if seconds / span[0] <= MOST_POINTS), SPANS[-1])


def within(rows: DataFrame, since: float | None, until: float | None) -> DataFrame:
    """Rows of a time."""
    if since is not None:
        rows = rows.where(F.col("at") >= F.timestamp_seconds(F.lit(since)))
    return rows if until is None else rows.where(F.col("at") < F.timestamp_seconds(F.lit(until)))


def rates(events: DataFrame, seconds: int) -> DataFrame:
    """Events by span and type, with how many a second that are."""
    start = F.timestamp_seconds(F.floor(F.unix_seconds("at") / seconds) * seconds)
    return (
        events.groupBy(start.alias("at"), "type")
        .agg(F.count("*").alias("events"))
        .select("at", "type", "events", (F.col("events") / F.lit(seconds)).alias("per_second"))
        .orderBy("at", "type")
    )


def retries(lives: DataFrame) -> DataFrame:
    """Deliveries by consumer and attempt: 1 is the first.

    A retry may be the same message once more, or a copy that was published anew, which the broker counts as
    new. So deliveries of a message from a queue are counted here; of one without an id, what the broker says.
    """
    earlier = Window.partitionBy("message_id", "queue").orderBy("at", "attempt")
    attempt = F.when(F.col("message_id").isNull(), F.col("attempt")).otherwise(F.row_number().over(earlier))
    return (
        lives.where("step = 'delivered'")
        .withColumn("attempt", attempt)
        .groupBy(_consumer().alias("consumer"), "attempt")
        .agg(F.count("*").alias("deliveries"), F.sum(F.col("redelivered").cast("int")).alias("redelivered"))
        .orderBy("consumer", "attempt")
    )


def failures(lives: DataFrame) -> DataFrame:
    """Dead messages by reason, consumer and type, the most first."""
    # What follows the colon is one error's own text.
    reason = F.coalesce(F.substring_index("reason", ": ", 1), "step").alias("reason")
    return (
        lives.where("step IN ('dead', 'unroutable', 'refused')")
        .groupBy(reason, _consumer().alias("consumer"), "type")
        .agg(F.count("*").alias("messages"), F.max("at").alias("last"))
        .orderBy(F.desc("messages"), "reason", "consumer", "type")
    )


def lead_times(lives: DataFrame) -> DataFrame:
    """Seconds from published to acked, by route and consumer, the slowest first.

    A message that was published several times, by a retry or a replay, counts from the first.
    """
    route = F.concat_ws(
        " · ", F.when(F.col("exchange") != "", F.col("exchange")), F.when(F.col("type") != "", F.col("type"))
    )
    published = (
        lives.where("step = 'published' AND message_id IS NOT NULL")
        .groupBy("message_id")
        .agg(F.min("at").alias("published_at"), F.min_by(route, "at").alias("route"))
    )
    acked = (
        lives.where("step = 'acked' AND message_id IS NOT NULL")
        .groupBy("message_id", "queue")
        .agg(F.max("at").alias("acked_at"), F.max(_consumer()).alias("consumer"))
    )
    seconds = (F.unix_micros("acked_at") - F.unix_micros("published_at")) / F.lit(1e6)
    return (
        acked.join(published, on="message_id", how="inner")
        .withColumn("seconds", F.greatest(seconds, F.lit(0.0)))
        .groupBy("route", "consumer")
        .agg(
            F.count("*").alias("messages"),
            *(_percentile(share).alias(f"p{int(share * 100)}") for share in (0.5, 0.95, 0.99)),
            F.max("seconds").alias("longest"),
        )
        .orderBy(F.desc("p95"), "route", "consumer")
    )


def _percentile(share: float) -> Column:
    return F.percentile_approx("seconds", share, _ACCURACY)


def _consumer() -> Column:
    """A consumer is known by its queue: what clients call themselves changes with each connection."""
    return F.coalesce("queue", "exchange", F.lit("unknown"))
