"""A table in SQLite, read by many at once, each some range of rowids.

Every part is a connection of its own and sees the file as it is when the part begins: SQLite has no snapshot
that processes could share. Executors must see the file at the same path.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote as quote_path

import pyarrow as pa
from sqlalchemy import make_url
from sqlalchemy.dialects import sqlite

from penstock.errors import BadSetting
from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.databases.port import CONTENT, key_names
from penstock.pipelines.databases.words import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.pipelines.databases.port import Asked

__all__ = ["SqlitePart", "SqliteTable", "select_rows"]

#: Rows in one batch.
ROWS: Final = 20_000
#: Seconds to wait for another program that is writing in the same file.
BUSY_S: Final = 30

_quote = sqlite.dialect().identifier_preparer.quote

#: How a value is worded, as PostgreSQL would.
_WORDS: Final = {
    Kind.INTEGER: "CAST({c} AS INTEGER)",
    Kind.BOOLEAN: "CAST({c} AS INTEGER)",
    Kind.FIXED: "penstock_fixed({c}, {scale})",
    Kind.NUMERIC: "penstock_numeric({c})",
    Kind.FLOAT: "penstock_double({c})",
    Kind.SINGLE: "penstock_single({c})",
    Kind.TEXT: "CAST({c} AS TEXT)",
    # hex(NULL) is empty.
    Kind.BYTES: "CASE WHEN {c} IS NOT NULL THEN 'x' || lower(hex({c})) END",
    Kind.MOMENT: "penstock_moment({c})",
    Kind.DATE: "substr({c}, 1, 10)",
    Kind.UUID: "lower(replace({c}, '-', ''))",
    Kind.JSON: "penstock_jsonb({c})",
}
_FREE: Final = {Kind.TEXT, Kind.JSON}


class SqliteTable:
    """A table in a file of SQLite's."""

    def __init__(self, url: str, asked: Asked) -> None:
        self.asked = asked
        database = make_url(url).database
        if not database or database == ":memory:":
            raise BadSetting("a database in memory cannot be read from elsewhere", setting="database")
        self._path = str(Path(database).resolve())

    @contextmanager
    def opened(self, parts: int) -> Iterator[Sequence[SqlitePart]]:
        """The parts of the table, as it is when each is read."""
        with closing(connect(self._path)) as connection:
            ranges = self._ranges(connection, parts)
        yield [SqlitePart(path=self._path, asked=self.asked, rowids=rowids) for rowids in ranges]

    def _ranges(self, connection: sqlite3.Connection, parts: int) -> list[tuple[int, int] | None]:
        table = _quote(self.asked.table)
        try:
            low, high = connection.execute(f"SELECT min(rowid), max(rowid) FROM {table}").fetchone()  # noqa: S608 (quoted)
        except sqlite3.OperationalError:
            # WITHOUT ROWID, or a view.
            return [None]
        if low is None:
            return []
        width = -(-(high - low + 1) // parts)
        return [(first, min(first + width - 1, high)) for first in range(low, high + 1, width)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlitePart:
    """The rows of a range of rowids, both ends included; None is all there are."""

    path: str
    asked: Asked
    rowids: tuple[int, int] | None

    def batches(self) -> Iterator[pa.RecordBatch]:
        schema = pa.schema(
            [
                *(
                    (name, pa.int64() if column.kind is Kind.INTEGER else pa.string())
                    for name, column in zip(key_names(self.asked), self.asked.key, strict=True)
                ),
                (CONTENT, pa.string()),
            ]
        )
        with closing(connect(self.path)) as connection:
            cursor = connection.execute(select_rows(self.asked, self.rowids is not None), self.rowids or ())
            while rows := cursor.fetchmany(ROWS):
                columns = zip(*rows, strict=True)
                arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def connect(path: str) -> sqlite3.Connection:
    """The file, to be read only, with words for what SQLite has none for."""
    connection = sqlite3.connect(f"file:{quote_path(path)}?mode=ro", uri=True, timeout=BUSY_S)
    for name, (arguments, function) in FUNCTIONS.items():
        connection.create_function(name, arguments, function, deterministic=True)
    return connection


def select_rows(asked: Asked, is_range: bool) -> str:  # noqa: FBT001 (the only thing that varies)
    """The query of one part: the columns of the key, and the content."""
    key = [
        _words(column) if column.kind is Kind.INTEGER else f"CAST({_words(column)} AS TEXT)"
        for column in asked.key
    ]
    content = " || '|' || ".join(f"coalesce({_part(column)}, '')" for column in asked.content) or "''"
    # SQLite lets a key be NULL, and nobody could tell of such a row.
    conditions = [f"{_quote(column.name)} IS NOT NULL" for column in asked.key]
    if is_range:
        conditions.append("rowid BETWEEN ? AND ?")
    return (
        f"SELECT {', '.join([*key, content])} FROM {_quote(asked.table)}"  # noqa: S608 (quoted)
        f" WHERE {' AND '.join(conditions)}"
    )


def _words(column: Column) -> str:
    return _WORDS[column.kind].format(c=_quote(column.name), scale=column.scale)


def _part(column: Column) -> str:
    words = _words(column)
    return f"length(CAST({words} AS BLOB)) || ':' || {words}" if column.kind in _FREE else words
