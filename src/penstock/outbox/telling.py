"""Telling: what consumers were last told of each row of a shared table, and what they must be told now.

The last told state is kept as a fingerprint, in the same transaction as the message that tells it. So `tell`
knows by itself whether a row was created, updated or deleted, and tells nothing twice. An application calls
it after its own changes; `penstock reconcile` calls it for all rows after a migration (reconcile.py).

Two who tell of the same row at the same time: the row is locked before its fingerprint is read, and a
fingerprint before its absent row is, so that each sees either nothing of the other or all. One at a time has
the lock of a row (FOR NO KEY UPDATE), since the first who tells of it finds no fingerprint to wait at; who
only refers to the row (a foreign key) does not wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Double, LargeBinary, MetaData, String, Table, delete, select, tuple_

from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from penstock.outbox.outbox import Outbox
    from penstock.outbox.shared_table import Change, SharedTable

__all__ = ["News", "Told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """A change that consumers do not know of yet."""

    change: Change
    #: The key as it is kept, and the new state; None is gone.
    key: str
    fingerprint: bytes | None


class Told:
    """The table of what consumers were told, and the outbox that tells them more."""

    def __init__(
        self, outbox: Outbox, table: str = "penstock_told", *, metadata: MetaData | None = None
    ) -> None:
        self.outbox = outbox
        self.metadata = outbox.metadata if metadata is None else metadata
        self.table = Table(
            table,
            self.metadata,
            Column("shared", String, primary_key=True),
            Column("key", String, primary_key=True),
            Column("fingerprint", LargeBinary, nullable=False),
            Column("told_at", Double, nullable=False),
        )

    def tell(
        self, connection: Connection, shared: SharedTable, keys: Iterable[Sequence[Any]]
    ) -> list[Change]:
        """Tell consumers what they do not know yet of these rows, in the transaction that is open here.

        Args:
            connection: With a session, `session.connection()`, after a flush.
            shared: The table.
            keys: Primary keys, each as a sequence of its columns' values.
        """
        wanted = {shared.packed(key): tuple(key) for key in keys}
        self.lock(connection)
        rows = connection.execute(
            select(*shared.columns)
            .where(has_keys(shared, wanted.values()))
            .order_by(*shared.key)
            .with_for_update(key_share=True)
        ).all()
        news = self.news_of_rows(connection, shared, rows)
        found = {shared.packed(row[: len(shared.key)]) for row in rows}
        gone = self._fingerprints(connection, shared, [key for key in wanted if key not in found])
        news += [self._gone(shared, key) for key in gone]
        self.spread(connection, shared, news)
        return [each.change for each in news]

    def lock(self, connection: Connection) -> None:
        """SQLite locks the whole file, and only for who writes: write nothing before anything is read."""
        if connection.dialect.name == "sqlite":
            connection.execute(delete(self.table).where(self.table.c.key.is_(None)))

    def news_of_rows(
        self, connection: Connection, shared: SharedTable, rows: Sequence[Sequence[Any]]
    ) -> list[News]:
        """What is new about rows that are there, and locked."""
        width = len(shared.key)
        packed = [shared.packed(row[:width]) for row in rows]
        told = self._fingerprints(connection, shared, packed)
        news = []
        for key, row in zip(packed, rows, strict=True):
            now = shared.fingerprint(row[width:])
            before = told.get(key)
            if before != now:
                change = shared.change("updated" if before else "created", row[:width], row[width:])
                news.append(News(change=change, key=key, fingerprint=now))
        return news

    def news_of_keys(self, connection: Connection, shared: SharedTable, after: str, limit: int) -> Page:
        """The next keys that consumers were told of, and which of them are gone."""
        told = self.table.c
        keys = list(
            connection.scalars(
                select(told.key)
                .where(told.shared == shared.name, told.key > after)
                .order_by(told.key)
                .limit(limit)
                .with_for_update()
            )
        )
        there = {
            shared.packed(row)
            for row in connection.execute(
                select(*shared.key).where(has_keys(shared, [shared.unpacked(key) for key in keys]))
            )
        }
        news = [self._gone(shared, key) for key in keys if key not in there]
        return Page(news=news, size=len(keys), last=keys[-1] if keys else None)

    def spread(self, connection: Connection, shared: SharedTable, news: Sequence[News]) -> None:
        """Add the messages to the outbox, and remember that they were."""
        self.remember(connection, shared, news)
        for each in news:
            what, to = shared.message(each.change)
            self.outbox.add(connection, what, to=to)

    def remember(self, connection: Connection, shared: SharedTable, news: Sequence[News]) -> None:
        """Take for told what is new, without telling it."""
        told = self.table.c
        insert = INSERTS[connection.dialect.name](self.table)
        upsert = insert.on_conflict_do_update(
            index_elements=[told.shared, told.key],
            set_={"fingerprint": insert.excluded.fingerprint, "told_at": insert.excluded.told_at},
        )
        now = self.outbox.clock.now()
        rows = [
            {"shared": shared.name, "key": each.key, "fingerprint": each.fingerprint, "told_at": now}
            for each in news
            if each.fingerprint is not None
        ]
        if rows:
            connection.execute(upsert, rows)
        if gone := [each.key for each in news if each.fingerprint is None]:
            connection.execute(delete(self.table).where(told.shared == shared.name, told.key.in_(gone)))

    def _gone(self, shared: SharedTable, key: str) -> News:
        return News(change=shared.change("deleted", shared.unpacked(key)), key=key, fingerprint=None)

    def _fingerprints(
        self, connection: Connection, shared: SharedTable, keys: Sequence[str]
    ) -> dict[str, bytes]:
        if not keys:
            return {}
        told = self.table.c
        found = connection.execute(
            select(told.key, told.fingerprint)
            .where(told.shared == shared.name, told.key.in_(keys))
            .with_for_update()
        )
        return {key: bytes(fingerprint) for key, fingerprint in found}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of the keys that consumers were told of."""

    news: list[News]
    #: How many were looked at.
    size: int
    #: The last key that was looked at; None if there was none.
    last: str | None


def has_keys(shared: SharedTable, keys: Iterable[Sequence[Any]]) -> ColumnElement[bool]:
    """Whether a row is one of these."""
    if len(shared.key) == 1:
        return shared.key[0].in_([key[0] for key in keys])
    return tuple_(*shared.key).in_([tuple(key) for key in keys])


def is_after(shared: SharedTable, key: Sequence[Any]) -> ColumnElement[bool]:
    """Whether a row comes after that one, in the order of the primary key."""
    return tuple_(*shared.key) > tuple_(*key) if len(key) > 1 else shared.key[0] > key[0]
