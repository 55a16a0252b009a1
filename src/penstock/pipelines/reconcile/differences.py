"""Differences that were found and not told yet: a table beside the outbox.

All differences of a comparison are written in one transaction, and those that are told are removed in the one
that adds their messages. So a run that is broken off leaves either nothing, and compares again, or exactly
what is left to tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from sqlalchemy import Boolean, Column, MetaData, String, Table, delete, func, select

from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

__all__ = ["Difference", "Differences"]

#: Rows written by one statement.
PAGE: Final = 1000


class Difference(NamedTuple):
    """A row that some copies have otherwise than the shared table."""

    #: The run that found it; ids of messages are made of its name.
    run: str
    #: The key, as databases tell it (databases/port.py).
    key: tuple[Any, ...]
    #: Whether those copies have the row at all.
    is_copied: bool


class Differences:
    """The table of differences."""

    def __init__(self, table: str = "penstock_differences") -> None:
        self.metadata = MetaData()
        self.table = Table(
            table,
            self.metadata,
            Column("shared", String, primary_key=True),
            Column("key", String, primary_key=True),
            Column("is_copied", Boolean, primary_key=True),
            Column("run", String, nullable=False),
        )

    def add(self, connection: Connection, shared: str, found: Iterable[Difference]) -> int:
        """Write down what was found, a page at a time; how many that were."""
        insert = INSERTS[connection.dialect.name](self.table).on_conflict_do_nothing()
        count, page = 0, []
        for each in found:
            page.append(
                {"shared": shared, "key": _packed(each.key), "is_copied": each.is_copied, "run": each.run}
            )
            if len(page) == PAGE:
                connection.execute(insert, page)
                count, page = count + PAGE, []
        if page:
            connection.execute(insert, page)
        return count + len(page)

    def left(self, connection: Connection, shared: str) -> int:
        """How many are to be told."""
        query = select(func.count()).select_from(self.table).where(self.table.c.shared == shared)
        return connection.scalar(query) or 0

    def first(self, connection: Connection, shared: str, limit: int) -> list[Difference]:
        """The next to be told; nobody else tells them meanwhile."""
        columns = self.table.c
        rows = connection.execute(
            select(columns.run, columns.key, columns.is_copied)
            .where(columns.shared == shared)
            .order_by(columns.key, columns.is_copied)
            .limit(limit)
            .with_for_update()
        )
        return [Difference(run, tuple(msgspec.json.decode(key)), is_copied) for run, key, is_copied in rows]

    def remove(self, connection: Connection, shared: str, told: Sequence[Difference]) -> None:
        """Forget what is told."""
        columns = self.table.c
        for is_copied in (True, False):
            keys = [_packed(each.key) for each in told if each.is_copied == is_copied]
            these = (columns.shared == shared, columns.key.in_(keys), columns.is_copied.is_(is_copied))
            if keys:
                connection.execute(delete(self.table).where(*these))


def _packed(key: tuple[Any, ...]) -> str:
    return msgspec.json.encode(key).decode()
