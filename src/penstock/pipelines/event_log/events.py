"""Messages as events: what the event log keeps of each. A transform, and the columns it makes.

The day is the message's own, in UTC: a double of it, whenever it comes, falls on the same day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

from penstock.messaging.headers import EXCHANGE, KEY

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["COLUMNS", "MESSAGE_COLUMNS", "day_of", "events", "header"]

#: What is asked of the source.
MESSAGE_COLUMNS: Final = (
    *("message_id", "type", "exchange", "routing_key", "timestamp", "arrived"),
    *("content_type", "content_encoding", "correlation_id", "reply_to", "app_id"),
    *("priority", "delivery_mode", "expiration", "headers", "body"),
)
#: What the log has: the same, when it happened, and the day that it is filed under.
COLUMNS: Final = (*MESSAGE_COLUMNS, "at", "day")

_DAY_S: Final = 86400


def events(messages: DataFrame) -> DataFrame:
    """Messages with a message's columns, as events.

    - at: when it was published, by the message itself; else when it arrived.
    - exchange, routing_key: where it was first published to, whatever detours a retry has taken it on.
    """
    at = F.coalesce("timestamp", "arrived", F.current_timestamp())
    is_copy = header(KEY).isNotNull()
    own = [F.col(name) for name in MESSAGE_COLUMNS if name not in {"exchange", "routing_key"}]
    return messages.select(
        *own,
        F.when(is_copy, F.coalesce(header(EXCHANGE), F.lit("")))
        .otherwise(F.col("exchange"))
        .alias("exchange"),
        F.when(is_copy, header(KEY)).otherwise(F.col("routing_key")).alias("routing_key"),
        at.alias("at"),
        day_of(at).alias("day"),
    ).select(*COLUMNS)


def header(name: str) -> Column:
    """A header's value as text; null without one."""
    return F.get_json_object("headers", f"$['{name}']")


def day_of(at: Column) -> Column:
    """The day of an instant in UTC, whichever zone the session has."""
    return F.date_from_unix_date(F.floor(F.unix_seconds(at) / F.lit(_DAY_S)).cast("int"))
