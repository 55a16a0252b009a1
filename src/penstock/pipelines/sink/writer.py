"""The sink as Spark calls it: a task publishes its rows and waits for confirms, the driver tells of bad ones.

A task that ends well has published every row that can be a message. A bad row fails the task
(`bad_rows=fail`): of the batch of Arrow's that it stands in nothing is published, of those before it all. Or
it is left out and told of (`bad_rows=skip`). A batch that is written again has the same message ids
(identity.py).
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from penstock.errors import BadRow
from penstock.pipelines.options import resolve
from penstock.pipelines.sink.identity import BATCH, QUERY, ids_of
from penstock.pipelines.sink.outgoing import Fault, Rows
from penstock.pipelines.sink.publishing import Publishing
from penstock.pipelines.source.seam import plainly
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from penstock.pipelines.options import SinkOptions

__all__ = ["Published", "QueueWriter", "StreamQueueWriter"]

log = logging.getLogger(__name__)

#: Bad rows of a task that are reported one by one.
REPORTED: Final = 100


@dataclass(slots=True)
class Published(WriterCommitMessage):
    """What a task did."""

    partition: int
    rows: int = 0
    bad: int = 0
    #: The first of the bad ones.
    faults: list[Fault] = field(default_factory=list)

    def add(self, faults: Sequence[Fault]) -> None:
        """Count bad rows."""
        self.bad += len(faults)
        self.faults += faults[: REPORTED - len(self.faults)]


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

    def _report(self, done: Sequence[WriterCommitMessage | None]) -> None:
        for each in done:
            if isinstance(each, Published) and each.bad:
                shown = "; ".join(f"row {fault.row}: {fault.reason}" for fault in each.faults)
                log.warning("partition %d: %d rows were not published: %s", each.partition, each.bad, shown)


def write_rows(
    options: SinkOptions, batches: Iterator[pa.RecordBatch], partition: int, ids: tuple[str, str]
) -> Published:
    """Publish the rows of one partition.

    Raises:
        BadRow: one cannot be a message, or no queue takes it, and that is not to be passed over.
        PublishError, NotConnected: the broker did not answer for too long.
    """
    spare_collections()
    done = Published(partition)
    id_of = ids_of(*ids, partition)
    rows: Rows | None = None
    with Publishing(resolve(options.url), options.timeout) as publishing:
        for batch in batches:
            rows = rows or Rows(options, batch.schema.names)
            made = list(rows.messages(batch, done.rows, id_of))
            faults = [each for each in made if isinstance(each, Fault)]
            _settle(options, done, faults)
            if faults:
                bad = {fault.row for fault in faults}
                numbers = [done.rows + at for at in range(len(made)) if done.rows + at not in bad]
            else:
                numbers = list(range(done.rows, done.rows + len(made)))
            messages = [each for each in made if not isinstance(each, Fault)]
            done.rows += batch.num_rows
            _settle(options, done, publishing.publish(messages, numbers))
        _settle(options, done, publishing.finish())
    return done


def _settle(options: SinkOptions, done: Published, faults: Sequence[Fault]) -> None:
    if faults and options.bad_rows == "fail":
        raise BadRow(
            f"partition {done.partition}, row {faults[0].row}: {faults[0].reason}"
            + (f" ({len(faults)} such rows)" if len(faults) > 1 else "")
            + "; set the option bad_rows to skip to go on without such rows"
        )
    done.add(faults)


class QueueWriter(_Writer, DataSourceArrowWriter):
    """A table, written once."""

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        self._report(messages)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """What was published stays; a second write with the same write_id has the same ids."""


class StreamQueueWriter(_Writer, DataSourceStreamArrowWriter):
    """A stream, written batch by batch."""

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 (Spark's)
        self._report(messages)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 (likewise)
        """What was published stays; the batch is written again with the same ids."""
