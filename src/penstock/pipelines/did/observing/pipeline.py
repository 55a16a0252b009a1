"""The observer as pipelines of a domain: one on orb.anchor, one on orb.did, each with a reader of its own.

with observing(places) as pipelines:
    Supervisor(Pipelines(pipelines), folder, spark, clock=clock).run()
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.did.observing.taken import COLUMNS
from penstock.pipelines.declared.making import make
from penstock.pipelines.declared.pipeline import Pipeline
from penstock.pipelines.declared.sources import Queue
from penstock.pipelines.did.observing.desk import KINDS, ObserverDesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.did.domain import Places
    from penstock.pipelines.declared.ports import Spared

__all__ = ["READER", "observing"]

#: Under which name the broker knows how far the observer is. A queue is a domain's own, and has its word.
READER: Final = "observer"
#: Messages of a batch for each of mq-observer-pool. How many are observed at once is Spark's business; an
#: anchor may hold ten thousand operations, and a batch is settled as a whole.
FOR_EACH: Final = 100
#: How often the queues are looked at, by queue. Somebody waits for an anchor; a DID may take its time.
TRIGGERS: Final = {"anchor": "100ms", "did": "1s"}


@contextmanager
def observing(places: Places, *, spool: str | None = None) -> Iterator[list[Pipeline]]:
    """The pipelines of a domain's observer, to be run in this process before the block ends.

    Args:
        places: The domain's.
        spool: A folder that every executor sees; without one the broker must be Penstock.

    Raises:
        BadKey, StoreError, ClientError: the domain's parts cannot be opened.
    """
    with ObserverDesk(places) as desk:
        yield [_pipeline(places, queue, desk, spool) for queue in KINDS]


def _pipeline(places: Places, queue: str, desk: ObserverDesk, spool: str | None) -> Pipeline:
    return Pipeline(
        name=f"{places.word}.observer.{queue}",
        source=Queue(
            places.queues.named(queue),
            url=places.broker,
            reader=READER,
            max_rows=FOR_EACH * places.parameters.mq_observer_pool,
            partitions=1,
            columns=COLUMNS,
            spool=spool,
        ),
        sink=Observed(queue, desk),
        trigger=TRIGGERS[queue],
    )


@dataclass(frozen=True, slots=True)
class Observed:
    """Messages go to the observer's desk; a `Sink`."""

    queue: str
    desk: ObserverDesk

    @property
    def keeps_columns(self) -> bool:
        return False

    @property
    def knows_bad_rows(self) -> bool:
        return False

    @property
    def after_reset(self) -> str:
        return "anchors that come again are known, and change nothing"

    def check(self, pipeline: str) -> None:
        """The desk is open, or there would be no pipeline."""

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        def observe(batch: DataFrame, _: int) -> None:
            self.desk.observe(self.queue, batch)

        return rows.writeStream.foreachBatch(observe)

    def try_out(self, rows: DataFrame) -> None:
        make(rows)

    def __str__(self) -> str:
        return f"observer of {self.queue}"
