"""Telling what was found: the messages of a page of differences, in one transaction with their removal.

The row is read again, and locked, when it is told: consumers get its state as it is now, in the words of any
other reconciling (penstock.outbox), and what they were told is remembered with it. Knows no Spark.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from penstock.outbox.telling import News, has_keys
from penstock.pipelines.databases.columns import column_of, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy.engine import Connection, Engine

    from penstock.messaging import Destination, Message
    from penstock.outbox import Change, SharedTable, Told
    from penstock.pipelines.reconcile.differences import Difference, Differences

__all__ = ["Teller", "change_of", "message_id"]

#: Differences told in one transaction.
PAGE: Final = 500


class Teller:
    """Tells consumers what is written down as different."""

    def __init__(self, told: Told, differences: Differences) -> None:
        self._told = told
        self._differences = differences

    def tell(
        self, engine: Engine, shared: SharedTable, on_change: Callable[[Change], object] = lambda _: None
    ) -> None:
        """Tell all that is left of a table, a page at a time."""
        while True:
            with engine.begin() as connection:
                changes = self.tell_page(connection, shared)
            if changes is None:
                return
            for change in changes:
                on_change(change)

    def tell_page(self, connection: Connection, shared: SharedTable) -> list[Change] | None:
        """Tell the next in the transaction that is open here; None if nothing is left."""
        self._told.lock(connection)
        page = self._differences.first(connection, shared.name, PAGE)
        if not page:
            return None
        columns = [column_of(column) for column in shared.key]
        keys = [tuple(map(value_of, columns, each.key)) for each in page]
        rows = _rows(connection, shared, keys)
        told = [
            (each, change)
            for each, key in zip(page, keys, strict=True)
            if (change := change_of(shared, key, rows.get(key), is_copied=each.is_copied)) is not None
        ]
        changes = [change for _, change in told]
        self._told.remember(connection, shared, [_news(shared, change) for change in changes])
        messages = [self._message(shared, each, change) for each, change in told]
        self._told.outbox.add_many(connection, messages)
        self._differences.remove(connection, shared.name, page)
        return changes

    def _message(
        self, shared: SharedTable, difference: Difference, change: Change
    ) -> tuple[Message, Destination]:
        message, to = self._told.outbox.prepared(*shared.message(change))
        return replace(message, id=message_id(difference, shared.name)), to


def change_of(
    shared: SharedTable, key: Sequence[Any], row: Sequence[Any] | None, *, is_copied: bool
) -> Change | None:
    """What to tell of a row as it is now; None if there is nothing: it is neither here nor there."""
    if row is not None:
        return shared.change("updated" if is_copied else "created", key, row[len(shared.key) :])
    return shared.change("deleted", key) if is_copied else None


def message_id(difference: Difference, shared: str) -> str:
    """The same for the same difference of the same run, so that whoever knows it does nothing twice."""
    said = repr((difference.run, shared, difference.key, difference.is_copied))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _rows(
    connection: Connection, shared: SharedTable, keys: Sequence[Sequence[Any]]
) -> Mapping[tuple[Any, ...], Sequence[Any]]:
    query = select(*shared.columns).where(has_keys(shared, keys)).with_for_update(read=True)
    return {tuple(row[: len(shared.key)]): row for row in connection.execute(query).all()}


def _news(shared: SharedTable, change: Change) -> News:
    fingerprint = None if change.kind == "deleted" else shared.fingerprint(list(change.row.values()))
    return News(change=change, key=shared.packed(list(change.key.values())), fingerprint=fingerprint)
