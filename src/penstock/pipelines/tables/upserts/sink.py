"""A table of PostgreSQL or SQLite as the end of a pipeline: each row takes the place of the one with its key.

    sink = UpsertSink("postgresql://app@db/shop", "orders", key=("id",), order="changed_at",
    delete="is_deleted") query = sink.stream(orders).option("checkpointLocation",
    "checkpoints/orders").start()

The driver writes, one transaction for each batch: a batch must fit into its memory, which the source's
limit of rows for each trigger sees to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.errors import ColumnsChanged, TableError
from penstock.pipelines.tables.committing import Batch
from penstock.pipelines.tables.upserts.database import UpsertDatabase
from penstock.pipelines.tables.upserts.rows import changes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.tables.upserts.rows import Changes

__all__ = ["UpsertSink"]

_QUERY: Final = "sql.streaming.queryId"


@dataclass(frozen=True, slots=True)
class UpsertSink:
    """A table that rows are upserted into.

    - url: postgresql://… or sqlite:///FILE. It stays on the driver, and is in no plan.
    - table: its name, with a schema if it has one; it exists, and its key is unique.
    - key: the columns that tell rows apart.
    - order: the later row wins, within a batch and, if the table has that column, against what is there.
    - delete: a column that is true where the row is to go.
    """

    url: str = field(repr=False)
    table: str
    key: tuple[str, ...]
    order: str | None = None
    delete: str | None = None

    def check(self, columns: Sequence[str]) -> None:
        """Find out, before anything is started, whether rows with these columns fit.

        Raises:
            ColumnsChanged, TableError, BadSetting: they do not, and why.
        """
        named = [*self.key, *(name for name in (self.order, self.delete) if name is not None)]
        if missing := [name for name in named if name not in columns]:
            raise ColumnsChanged(
                f"the rows have no column {', '.join(missing)}; they have {', '.join(columns)}"
            )
        if not self.key:
            raise TableError(f"which columns tell rows of {self.table} apart? Say the key")
        database = self._database()
        try:
            database.check([name for name in columns if name != self.delete])
        finally:
            database.close()

    def stream(self, rows: DataFrame) -> DataStreamWriter:
        """A query that upserts a stream's rows: say its checkpoint and its trigger, and start it.

        Raises:
            ColumnsChanged, TableError, BadSetting: as of `check`.
        """
        self.check(rows.columns)
        return rows.writeStream.outputMode("update").foreachBatch(self.apply)

    def apply(self, rows: DataFrame, number: int) -> None:
        """One batch; what `stream` has Spark call, and what a `foreachBatch` of one's own may."""
        query = rows.sparkSession.sparkContext.getLocalProperty(_QUERY)
        if query is None:
            raise TableError("a batch belongs to a streaming query; for rows of your own use `write`")
        self.write(rows, Batch(query, number))

    def write(self, rows: DataFrame, batch: Batch) -> bool:
        """Upsert rows, once for each batch; False if they were there before."""
        database = self._database()
        try:
            return database.apply(self._changes(rows, database), batch)
        finally:
            database.close()

    def try_out(self, rows: DataFrame) -> None:
        """Find out whether the database takes these rows; it is as before.

        Raises:
            TableError: it does not, and why.
        """
        database = self._database()
        try:
            database.try_out(self._changes(rows, database))
        finally:
            database.close()

    def _changes(self, rows: DataFrame, database: UpsertDatabase) -> Changes:
        return changes_of(
            rows.toArrow(), key=self.key, order=self.order, delete=self.delete, as_plain=database.is_sqlite
        )

    def _database(self) -> UpsertDatabase:
        return UpsertDatabase(self.url, self.table, self.key, self.order)
