"""Where a pipeline's rows go: tables, databases, queues.

Each is a frozen value that builds Spark's options. Nothing here writes a row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.errors import BadPipeline, PenstockError
from penstock.pipelines.declared.making import make
from penstock.pipelines.declared.sources import BROKER, absolute
from penstock.pipelines.options import SinkOptions, resolve

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.declared.ports import Spared
    from penstock.pipelines.tables.sink import DeltaSink
    from penstock.pipelines.tables.upserts.sink import UpsertSink

__all__ = ["Delta", "Parquet", "Publish", "Upsert"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A Delta table, to which each row is added exactly once; after a lost checkpoint, if it has a key."""

    path: str | Path
    partition_by: tuple[str, ...] = ()
    #: A column: rows whose key the table has already are left out, even if the checkpoint was lost.
    key: str | None = None
    #: A timestamp that rows of one key have in common; it spares a search through the whole table.
    time: str | None = None

    @property
    def knows_bad_rows(self) -> bool:
        return False

    @property
    def keeps_columns(self) -> bool:
        return True

    def check(self, pipeline: str) -> None:
        """Whether rows fit is looked at when they are known."""

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        return self._sink().stream(rows)

    def try_out(self, rows: DataFrame) -> None:
        self._sink().try_out(rows)

    def keep(self, rows: DataFrame, mark: str) -> None:
        from penstock.pipelines.tables.sink import DeltaSink  # noqa: PLC0415 (likewise)

        DeltaSink(absolute(self.path), partition_by=self.partition_by).write(rows, query=mark, batch=0)

    @property
    def after_reset(self) -> str:
        if self.key is None:
            return f"{self.path} has no key: rows that come again are added a second time"
        return f"{self.path} knows rows that come again by their {self.key}, and leaves them out"

    def _sink(self) -> DeltaSink:
        from penstock.pipelines.tables.sink import DeltaSink  # noqa: PLC0415 (a list needs no tables)

        return DeltaSink(absolute(self.path), partition_by=self.partition_by, key=self.key, time=self.time)

    def __str__(self) -> str:
        return f"delta {self.path}"


@dataclass(frozen=True, slots=True)
class Upsert:
    """A table of PostgreSQL or SQLite: each row in the place of the one with the same key."""

    #: postgresql://…, sqlite:///FILE, or env:NAME of a variable that has it.
    url: str = field(repr=False)
    table: str
    key: tuple[str, ...]
    #: The later row wins, by this column.
    order: str | None = None
    #: A column that is true where the row is to go.
    delete: str | None = None

    @property
    def knows_bad_rows(self) -> bool:
        return False

    @property
    def keeps_columns(self) -> bool:
        """The table itself is asked, when rows are known."""
        return False

    def check(self, pipeline: str) -> None:
        try:
            resolve(self.url)
        except PenstockError as exc:
            raise BadPipeline(f"pipeline {pipeline}: {exc}") from exc

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        return self._sink().stream(rows)

    def try_out(self, rows: DataFrame) -> None:
        self._sink().try_out(rows)

    @property
    def after_reset(self) -> str:
        return (
            f"rows of {self.table} that come again take the place of the same row, by {', '.join(self.key)}"
        )

    def _sink(self) -> UpsertSink:
        from penstock.pipelines.tables.upserts.sink import UpsertSink  # noqa: PLC0415 (likewise)

        return UpsertSink(resolve(self.url), self.table, self.key, self.order, self.delete)

    def __str__(self) -> str:
        return f"upsert {self.table}"


@dataclass(frozen=True, slots=True)
class Publish:
    """Messages: to a queue by its name, or to an exchange and from there to queues."""

    routing_key: str | None = None
    exchange: str = ""
    #: The class that rows must fit; its fields become the body. None takes the column `body`.
    type: type[Any] | None = None
    url: str = BROKER
    #: "fail" fails a batch with a row that cannot be a message, "skip" leaves it out and reports it.
    bad_rows: str = "fail"

    @property
    def knows_bad_rows(self) -> bool:
        return True

    @property
    def keeps_columns(self) -> bool:
        return False

    def options(self) -> dict[str, str]:
        """As Spark is told."""
        given = {
            "url": self.url,
            "exchange": self.exchange,
            "routing_key": self.routing_key,
            "schema_type": None if self.type is None else f"{self.type.__module__}.{self.type.__qualname__}",
            "bad_rows": self.bad_rows,
        }
        return {name: value for name, value in given.items() if value is not None}

    def check(self, pipeline: str) -> None:
        """Whether the broker lets us in, too: a batch would find out much later."""
        from penstock.pipelines.sink.publishing import check as check_login  # noqa: PLC0415 (likewise)

        try:
            check_login(resolve(SinkOptions.read(self.options()).url))
        except PenstockError as exc:
            raise BadPipeline(f"pipeline {pipeline}: {exc}") from exc

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        from penstock.pipelines.registering import register  # noqa: PLC0415 (likewise)

        register(rows.sparkSession)
        options = self.options()
        if spared is not None:
            options |= {
                "bad_rows": "skip",
                "bad_rows_to": absolute(spared.folder),
                "bad_rows_at_most": str(spared.at_most),
            }
        return rows.writeStream.format("penstock").options(**options)

    def try_out(self, rows: DataFrame) -> None:
        make(rows)

    def keep(self, rows: DataFrame, mark: str) -> None:
        from penstock.pipelines.registering import register  # noqa: PLC0415 (likewise)

        register(rows.sparkSession)
        body = "CAST(to_json(struct(*)) AS BINARY) AS body"
        # The time of another attempt is another, so an id of all that is said would be, too.
        name = f"concat('{mark}-', monotonically_increasing_id()) AS message_id"
        in_order = rows.coalesce(1).sortWithinPartitions("row")
        messages = in_order.selectExpr(body, "'application/json' AS content_type", name)
        messages.write.format("penstock").options(**self.options()).mode("append").save()

    @property
    def after_reset(self) -> str:
        return f"rows that come again are published to {self._where} again, under ids of their own"

    @property
    def _where(self) -> str:
        return " ".join(each for each in (self.exchange, self.routing_key) if each)

    def __str__(self) -> str:
        return f"publish to {self._where}"


@dataclass(frozen=True, slots=True)
class Parquet:
    """Parquet files, a folder for each batch."""

    path: str | Path
    partition_by: tuple[str, ...] = ()

    @property
    def knows_bad_rows(self) -> bool:
        return False

    @property
    def keeps_columns(self) -> bool:
        return True

    def check(self, pipeline: str) -> None:
        """The folder is made by whoever writes first."""

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        from penstock.pipelines.tables.parquet import ParquetSink  # noqa: PLC0415 (likewise)

        return ParquetSink(absolute(self.path), self.partition_by).stream(rows)

    def try_out(self, rows: DataFrame) -> None:
        make(rows)

    @property
    def after_reset(self) -> str:
        return f"{self.path} gets rows that come again a second time: delete it first, or write to another"

    def __str__(self) -> str:
        return f"parquet {self.path}"
