"""A few messages of a queue, looked at and given back.

They are fetched over AMQP and never acknowledged, which every broker can do; no reader is made for it.
When the connection closes they are where they were, and are called redelivered from then on.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from penstock.client.settings import ClientSettings
from penstock.client.sync import connect
from penstock.clock import SystemClock
from penstock.pipelines.options import resolve
from penstock.pipelines.source.shaping import Shaping
from penstock.pipelines.spool.lot import Lot
from penstock.pipelines.spool.rows import new_rows
from penstock.pipelines.spool.seen import Seen
from penstock.wire.arrow import friendly, read_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from penstock.client.sync import SyncClient, SyncDelivery
    from penstock.pipelines.options import SourceOptions

__all__ = ["sampled"]

#: Somebody waits at the terminal.
SETTINGS: Final = ClientSettings(name="penstock dry run", connect_max_retries=0)


def sampled(spark: SparkSession, options: SourceOptions, rows: int) -> DataFrame:
    """At most so many messages, with the columns that the options ask for; positions count from 1.

    Raises:
        PenstockError: the broker cannot be reached, or the queue cannot be read.
    """
    shaping = Shaping(options)
    with connect(resolve(options.url), settings=SETTINGS) as client:
        messages = _fetched(client, options.queue, rows)
        block = new_rows(Lot.of(messages), Seen(), 1, SystemClock().now())
        # Waiting for what is unsettled would be in vain: nobody settles it.
        client.close(0)
    if not block.rows:
        return spark.createDataFrame([], shaping.schema)
    batches = [
        shaping.shape(friendly(batch, shaping.needed))
        for batch in read_stream(io.BytesIO(b"".join(block.pieces)))
    ]
    return spark.createDataFrame(pa.Table.from_batches(batches), shaping.schema)


def _fetched(client: SyncClient, queue: str, rows: int) -> list[SyncDelivery]:
    messages: list[SyncDelivery] = []
    while len(messages) < rows and (message := client.get(queue)) is not None:
        messages.append(message)
    return messages
