"""What happens on the chains, as a table and as the numbers of a chart.

The pipeline has a queue of its own, beside those of the services: they do not notice it. `THINGS` are what
its broker must have: `client.declare(*THINGS)`.

    MQ_URL=amqp://… penstock pipelines run examples.commons.pipelines

A change that was relayed twice is in the table once: it is known by its message id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 (as Spark's own manual has it)

from examples.commons.events import EntityChanged
from examples.commons.service import NAMESPACE
from penstock.client import Binding, Exchange
from penstock.client import Queue as BrokerQueue
from penstock.pipelines.declared import Delta, Queue, pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["QUEUE", "TABLE", "THINGS", "activity", "changes_by_chain"]

QUEUE = f"{NAMESPACE}.activity"
TABLE = "tables/activity"
THINGS = (Exchange(NAMESPACE, "topic"), BrokerQueue(QUEUE), Binding(NAMESPACE, QUEUE, "EntityChanged"))


@pipeline(
    "activity",
    source=Queue(QUEUE, EntityChanged, columns=("message_id", "arrived")),
    sink=Delta(TABLE, key="message_id"),
    trigger="1s",
)
def activity(messages: DataFrame) -> DataFrame:
    """One row for each change; messages that are something else are left out."""
    return messages.where("bad IS NULL").select(
        "message_id",
        F.col("arrived").alias("at"),
        "chain",
        F.col("id").alias("entity"),
        "change",
    )


def changes_by_chain(changes: DataFrame) -> DataFrame:
    """The numbers of a chart: a bar for each chain, with a part for each kind of change."""
    return (
        changes.groupBy("chain")
        .pivot("change", ["created", "updated", "deleted"])
        .count()
        .na.fill(0)
        .orderBy("chain")
    )
