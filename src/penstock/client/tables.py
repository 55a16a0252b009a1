"""Queues as tables, for pandas, Polars, DuckDB and whoever else speaks Arrow.

Reading goes through a durable reader, so that what was read and not dealt with is there the next time;
writing publishes every row and returns when the broker has them all. See docs/howto/queues-as-tables.md.
"""

from __future__ import annotations

import os
import secrets
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from penstock.client.reader import TIMEOUT, QueueReader
from penstock.client.web import Web, path_of
from penstock.client.writing import requests_of
from penstock.errors import NotConnected, PublishLost, RowsRefused
from penstock.wire.arrow import ALL_COLUMNS, arrow, friendly_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["read_table", "taken_table", "write_table"]

#: What one table holds at most, unless told otherwise: it has to fit the reader's memory.
ROWS: Final = 1_000_000
SIZE: Final = 256 * 1024 * 1024
#: Seconds for which nobody else takes or commits under the same name.
LEASE_IN: Final = 300.0
ARROW_STREAM: Final = "application/vnd.apache.arrow.stream"


def read_table(
    url: str,
    queue: str,
    *,
    reader: str = "table",
    rows: int = ROWS,
    size: int = SIZE,
    columns: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> Any:
    """What waits in a queue, as a pyarrow.Table; it is gone from the queue when this returns.

    Use `taken_table` where nothing may be lost if what comes after fails.

    Args:
        reader: the name under which it is taken; what a crash left under that name comes first.
        rows, size: so many messages and bytes at most.
        columns: which, in which order; penstock.wire.arrow.ALL_COLUMNS if not said.

    Raises:
        UnknownQueue, LoginRefused, NotPermitted, ReaderInUse, NotConnected, ArrowMissing.
    """
    how = {"reader": reader, "rows": rows, "size": size, "columns": columns, "timeout": timeout}
    with taken_table(url, queue, **how) as table:  # type: ignore[arg-type]
        return table


@contextmanager
def taken_table(
    url: str,
    queue: str,
    *,
    reader: str = "table",
    rows: int = ROWS,
    size: int = SIZE,
    columns: Sequence[str] | None = None,
    timeout: float = TIMEOUT,
) -> Iterator[Any]:
    """The same for a `with` statement: committed when its block is done, kept for the next time if it fails.

    Raises:
        ReaderInUse: another block is open under that reader's name; and as `read_table`.
    """
    wanted = ALL_COLUMNS if columns is None else columns
    schema = friendly_schema(wanted)
    holder = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
    with QueueReader(url, queue, reader, timeout=timeout) as source:
        state = source.open()
        source.lease(holder, LEASE_IN)
        try:
            # What a block before this one did not finish comes first, and alone.
            start = state.committed
            end = state.taken if state.taken > start else source.take(rows, size)
            batches = source.read(start, end, wanted)
            yield arrow().Table.from_batches(batches, schema=schema)
            source.commit(end)
        finally:
            source.lease(holder, 0.0)


def write_table(
    url: str,
    table: Any,
    *,
    exchange: str = "",
    routing_key: str | None = None,
    timeout: float = TIMEOUT,
) -> int:
    """Publish the rows of a table, in order; how many, once the broker has them all.

    Args:
        table: anything that speaks Arrow: a pandas or Polars DataFrame, a DuckDB relation, a pyarrow Table.
            Its columns are those that `read_table` gives; `body` is needed, bytes or text.
        exchange, routing_key: for tables without such columns; with exchange "" the key is a queue's name.

    Raises:
        CannotEncode: a column or a value that no message has; nothing more was published.
        RowsRefused: some rows found no queue, or a full one; all others are published.
        PublishLost: the broker went; the text tells which rows are safe.
        LoginRefused, NotPermitted, UnknownProxy, NotConnected, ArrowMissing.
    """
    sent = 0
    unroutable: list[int] = []
    refused: list[int] = []
    with Web(url, timeout) as web:
        path = path_of("api", "publish", web.url.virtual_host)
        for count, body in requests_of(table, exchange, routing_key):
            said = _publish(web, path, body, sent, count)
            unroutable += [sent + row for row in said["unroutable"]]
            refused += [sent + row for row in said["refused"]]
            sent += count
    if unroutable or refused:
        raise RowsRefused(_words(sent, unroutable, refused), unroutable=unroutable, refused=refused)
    return sent


def _publish(web: Web, path: str, body: bytes, sent: int, count: int) -> dict[str, Any]:
    try:
        # Never twice: if the answer does not come, nobody can tell whether the rows did.
        with web.send("POST", path, body, ARROW_STREAM, once=True) as answer:
            return answer.json()
    except NotConnected as exc:
        raise PublishLost(
            f"{exc}; {sent} rows are published, and of the {count} after them nobody can tell"
        ) from exc


def _words(sent: int, unroutable: list[int], refused: list[int]) -> str:
    parts = [
        f"{len(rows)} {why} (row {', '.join(map(str, rows[:5]))}{' …' if len(rows) > 5 else ''})"  # noqa: PLR2004
        for rows, why in ((unroutable, "that no queue takes"), (refused, "that a full queue refused"))
        if rows
    ]
    return f"of {sent} rows all are published but {' and '.join(parts)}"
