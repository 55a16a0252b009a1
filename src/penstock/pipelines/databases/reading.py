"""Tables as Spark sees them.

The parts of a table are read by tasks, each by itself. How a part is reached, password and all, travels
inside the task, never as an option: options are shown in plans, and written to event logs.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from penstock.errors import BadSetting
from penstock.pipelines.databases.columns import Kind
from penstock.pipelines.databases.port import CONTENT, key_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.databases.port import Asked, Part, Readable

__all__ = ["cheapest", "readable", "rows_of"]

#: Parts for each task that can run at once: the last to end does not keep the others waiting long.
PARTS: Final = 2


def readable(url: str, asked: Asked) -> Readable:
    """The table in the database at a URL.

    Raises:
        BadSetting: it is no URL, or no such database can be read.
    """
    try:
        kind = make_url(url).get_backend_name()
    except ArgumentError as exc:
        raise BadSetting("a database is named like postgresql://user@host/name", setting="database") from exc
    if kind == "sqlite":
        from penstock.pipelines.databases.sqlite import SqliteTable  # noqa: PLC0415 (only what is needed)

        return SqliteTable(url, asked)
    if kind == "postgresql":
        from penstock.pipelines.databases.postgresql import PostgresqlTable  # noqa: PLC0415 (psycopg is an extra)

        return PostgresqlTable(url, asked)
    raise BadSetting(f"tables are read from PostgreSQL or SQLite, not from {kind}", setting="database")


def cheapest(asked: Asked, urls: Sequence[str]) -> Asked:
    """The same question, answered by hashes if all databases make the same."""
    if not asked.content or {make_url(url).get_backend_name() for url in urls} != {"postgresql"}:
        return asked
    from penstock.pipelines.databases.postgresql import hash_alike  # noqa: PLC0415 (psycopg is an extra)

    return replace(asked, is_hashed=hash_alike(urls))


@contextmanager
def rows_of(spark: SparkSession, table: Readable) -> Iterator[DataFrame]:
    """The rows of a table, by `key_names` and CONTENT; they can be read until the end of the block."""
    with table.opened(PARTS * spark.sparkContext.defaultParallelism) as parts:
        types = ["bigint" if column.kind is Kind.INTEGER else "string" for column in table.asked.key]
        columns = [
            *zip(key_names(table.asked), types, strict=True),
            (CONTENT, "bigint" if table.asked.is_hashed else "string"),
        ]
        schema = ", ".join(f"{name} {kind}" for name, kind in columns)
        numbers = spark.range(0, len(parts), 1, max(1, len(parts)))
        yield numbers.mapInArrow(partial(_read, tuple(parts)), schema)


def _read(parts: Sequence[Part], numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Runs where the tasks do."""
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            yield from parts[number].batches()
