"""The sink as Spark calls it: a task publishes its rows and waits for confirms, the driver tells of bad ones.

A task that ends well has published every row that can be a message. A bad row fails the task
(`bad_rows=fail`): of the batch of Arrow's that it stands in nothing is published, of those before it all. Or
it is left out and told of (`bad_rows=skip`), up to as many as are allowed. A batch that is written again has
the same message ids (identity.py).
"""

from __future__ import annotations

import logging
import sys
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from penstock.errors import BadRow
from penstock.pipelines.options import resolve
from penstock.pipelines.sink.identity import BATCH, QUERY, Identities
from penstock.pipelines.sink.outgoing import Fault, Rows
from penstock.pipelines.sink.publishing import Publishing
from penstock.pipelines.sink.refused import write_refused
from penstock.pipelines.sink.showing import as_json, excerpt
from penstock.pipelines.source.seam import plainly
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from penstock.pipelines.options import SinkOptions
    from penstock.pipelines.sink.outgoing import FaultOf

__all__ = ["Published", "QueueWriter", "StreamQueueWriter"]

log = logging.getLogger(__name__)

#: Bad rows of a task that are reported one by one.
REPORTED: Final = 100


@dataclass(slots=True)
class Published(WriterCommitMessage):
    """What a task did."""

    partition: int
    #: Whose batch it was a part of, or which write.
    query: str
    rows: int = 0
    bad: int = 0
    #: The first of the bad ones.
    faults: list[Fault] = field(default_factory=list)

    def add(self, faults: Sequence[Fault], most: int = REPORTED) -> None:
        """Count bad rows, and keep at most so many of all."""
        self.bad += len(faults)
        self.faults += faults[: max(most - len(self.faults), 0)]


class _Writer:
    """What both kinds of writers do. Pickled for executors, with the options alone."""

    def __init__(self, options: SinkOptions, names: Sequence[str]) -> None:
        self._options = options
        self._names = tuple(names)
        # Made by the driver, once for all tasks: a task that is run again has the same ids.
        self._write_id = options.write_id or uuid.uuid4().hex

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Published:
        """Publish a task's rows."""
        with plainly():
            context = TaskContext.get()
            assert context is not None  # noqa: S101 (Spark's, in every task)
            partition = context.partitionId()
            query = context.getLocalProperty(QUERY) or self._write_id
            batch = context.getLocalProperty(BATCH) or ""
            return write_rows(self._options, iterator, partition, ids=(query, batch))

    def _report(self, messages: Sequence[WriterCommitMessage | None], batch: int = 0) -> None:
        """Tell of bad rows, or keep them, before the batch is done.

        Raises:
            BadRow: there are too many.
        """
        done = [each for each in messages if isinstance(each, Published) and each.bad]
        with plainly():
            _demand_few(self._options, sum(each.bad for each in done), done)
        if self._options.bad_rows_to and done:
            faults = [fault for each in done for fault in each.faults]
            write_refused(self._options.bad_rows_to, done[0].query, batch, faults)
            return
        for each in done:
            shown = "; ".join(map(str, each.faults))
            log.warning("partition %d: %d rows were not published: %s", each.partition, each.bad, shown)


def write_rows(
    options: SinkOptions, batches: Iterator[pa.RecordBatch], partition: int, ids: tuple[str, str]
) -> Published:
    """Publish the rows of one partition.

    Raises:
        BadRow: one cannot be a message, or no queue takes it, and that is not to be passed over.
        PublishError, NotConnected: the broker did not answer for too long, or would not have them.
    """
    spare_collections()
    done = Published(partition, ids[0])
    identities = Identities(*ids, partition)
    rows: Rows | None = None
    with Publishing(resolve(options.url), options.timeout) as publishing:
        for batch in batches:
            rows = rows or Rows(options, batch.schema.names)
            fault_of = _telling(options, batch, done.rows)
            made = list(rows.messages(batch, fault_of, identities.next))
            done.rows += batch.num_rows
            _settle(options, done, [each for each in made if isinstance(each, Fault)])
            good = [(at, each) for at, each in enumerate(made) if not isinstance(each, Fault)]
            places, messages = zip(*good, strict=True) if good else ((), ())
            _settle(options, done, publishing.publish(messages, places, fault_of))
        _settle(options, done, publishing.finish())
    return done


def _telling(options: SinkOptions, batch: pa.RecordBatch, first: int) -> FaultOf:
    """What tells of the rows of a batch, the first of which has this number: all of each if it is kept."""
    shown = as_json if options.bad_rows_to else excerpt
    return lambda at, reason: Fault(first + at, reason, shown(batch, at))


def _settle(options: SinkOptions, done: Published, faults: Sequence[Fault]) -> None:
    if faults and options.bad_rows == "fail":
        raise BadRow(
            f"partition {done.partition}, {faults[0]}"
            + (f" ({len(faults)} such rows)" if len(faults) > 1 else "")
            + "; set the option bad_rows to skip to go on without such rows"
        )
    done.add(faults, sys.maxsize if options.bad_rows_to else REPORTED)
    _demand_few(options, done.bad, [done])


def _demand_few(options: SinkOptions, count: int, done: Sequence[Published]) -> None:
    """If many are bad, it is not the rows: somebody has forgotten a queue."""
    most = options.bad_rows_at_most
    if most is not None and count > most:
        last = done[-1].faults[-1].reason if done[-1].faults else "and nobody asked why"
        raise BadRow(f"more than {most} rows of the batch were not published: {last}")


class QueueWriter(_Writer, DataSourceArrowWriter):
    """A table, written once."""

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        self._report(messages)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """What was published stays; a second write with the same write_id has the same ids."""


class StreamQueueWriter(_Writer, DataSourceStreamArrowWriter):
    """A stream, written batch by batch."""

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 (Spark's)
        self._report(messages, batchId)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 (likewise)
        """What was published stays; the batch is written again with the same ids."""
