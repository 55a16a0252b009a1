"""A table in PostgreSQL, read by many at once in one snapshot.

The driver's transaction exports its snapshot and stays open; every part is read in the same one. A part is
some blocks of the table's file (`ctid` ranges, PostgreSQL 14 and later): no index is needed, they are equally
large, and each is read in sequence. A block comes as one row: the values of a column one behind the other, as
bytes, and their lengths. That costs the server 0.2 µs a row, and Python nothing; row by row, as COPY tells
a table, Python alone would need 2 µs.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from sqlalchemy import make_url

from penstock.errors import BadSetting
from penstock.messaging.engine import give_up
from penstock.pipelines.databases.blocks import block_of
from penstock.pipelines.databases.columns import Kind
from penstock.pipelines.databases.port import CONTENT, key_names
from penstock.pipelines.databases.postgresql_query import PROBE, Block, quote, select_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from penstock.pipelines.databases.port import Asked

__all__ = ["PostgresqlPart", "PostgresqlTable", "hash_alike"]

#: Since when ranges of ctid are looked up, and not looked for.
OLDEST: Final = 140_000
#: Bytes of the table's file in one block, at most; values that are kept outside of it count.
BLOCK: Final = 16 * 1024 * 1024

_SESSION: Final = (
    "SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL client_encoding = 'UTF8';"
    # Every column of a block is gathered in the same order only if one process gathers it.
    "SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off"
)
#: The tables that rows are in, of a table with or without partitions, and how large each is.
_FILES: Final = """
SELECT c.oid::regclass::text, pg_relation_size(c.oid) / current_setting('block_size')::int,
       pg_table_size(c.oid)
FROM pg_class c WHERE c.relkind IN ('r', 'm')
  AND (c.oid = to_regclass(%(name)s)
       OR c.oid IN (SELECT relid FROM pg_partition_tree(to_regclass(%(name)s)) WHERE isleaf))
ORDER BY c.oid
"""


class _File(NamedTuple):
    name: str
    pages: int
    size: int


class PostgresqlTable:
    """A table in PostgreSQL."""

    def __init__(self, url: str, asked: Asked) -> None:
        self.asked = asked
        self._url = libpq(url)

    @contextmanager
    def opened(self, parts: int) -> Iterator[Sequence[PostgresqlPart]]:
        """The parts of one snapshot, which lasts as long as the block.

        Raises:
            BadSetting: the server is too old, its encoding is not Unicode, or there is no such table.
        """
        with psycopg.connect(self._url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            # It has nothing to do while the others read, and takes their snapshot along when it goes.
            connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            self._check(connection)
            blocks = [block for file in self._files(connection) for block in blocks_of(file, parts)]
            [(snapshot,)] = connection.execute("SELECT pg_export_snapshot()").fetchall()
            yield [
                PostgresqlPart(url=self._url, snapshot=snapshot, asked=self.asked, blocks=tuple(some))
                for some in shared_out(blocks, parts)
            ]
            connection.rollback()

    def _check(self, connection: psycopg.Connection[Any]) -> None:
        if connection.info.server_version < OLDEST:
            raise BadSetting("PostgreSQL 14 is the oldest that can be read in parts", setting="database")
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise BadSetting(
                f"the database's encoding is {encoding}, and only UTF8 can be compared", setting="database"
            )

    def _files(self, connection: psycopg.Connection[Any]) -> list[_File]:
        schema, table = self.asked.schema, self.asked.table
        name = f"{quote(schema)}.{quote(table)}" if schema else quote(table)
        files = [_File._make(row) for row in connection.execute(_FILES, {"name": name})]
        if not files:
            raise BadSetting(f"there is no table {table}, or it keeps no rows itself", setting="tables")
        return files


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlPart:
    """Some blocks of a table, in the snapshot of whoever made the part."""

    url: str = field(repr=False)
    snapshot: str
    asked: Asked
    blocks: tuple[Block, ...]

    def batches(self) -> Iterator[pa.RecordBatch]:
        names, columns = [*key_names(self.asked), CONTENT], self.asked.key
        are_integers = [*(column.kind is Kind.INTEGER for column in columns), self.asked.is_hashed]
        with psycopg.connect(self.url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            connection.execute(f"SET TRANSACTION SNAPSHOT '{self.snapshot}'".encode())
            connection.execute(_SESSION.encode())
            with connection.cursor(binary=True) as cursor:
                for block in self.blocks:
                    row = cursor.execute(select_block(self.asked, block).encode()).fetchone()
                    if row is not None and row[0]:
                        yield block_of(names, are_integers, row[0], row[1:])


def hash_alike(urls: Iterable[str]) -> bool:
    """Whether these servers make the same number of the same row: PostgreSQL does not promise it.

    A server's own hash costs a third of wording the row, and eight bytes come over the line, not a hundred.
    """
    told = set()
    for url in urls:
        with psycopg.connect(libpq(url)) as connection:
            if connection.info.server_version < OLDEST:
                return False
            told |= set(connection.execute(PROBE.encode()).fetchall())
    return len(told) == 1


def libpq(url: str) -> str:
    """A URL as PostgreSQL's own library reads it, and when it gives up; SQLAlchemy's names a driver too."""
    named = make_url(url).set(drivername="postgresql")
    patience = {name: str(value) for name, value in give_up(named).items()}
    return named.update_query_dict(patience).render_as_string(hide_password=False)


def blocks_of(file: _File, parts: int) -> list[Block]:
    """The blocks of a table: small enough to be held in memory, and enough for all parts."""
    if not file.pages:
        return []
    heaviest = max(1, file.pages * BLOCK // max(file.size, 1))
    pages = min(heaviest, -(-file.pages // parts))
    # The size is asked for in the snapshot: what the table grows by later is not in it.
    ends = [*range(pages, file.pages, pages), file.pages]
    return [Block(file.name, first, end) for first, end in zip([0, *ends], ends, strict=False)]


def shared_out(blocks: Sequence[Block], parts: int) -> Iterator[Sequence[Block]]:
    """Neighbours together: a disk likes to be read in sequence."""
    each = max(1, -(-len(blocks) // parts))
    for first in range(0, len(blocks), each):
        yield blocks[first : first + each]
