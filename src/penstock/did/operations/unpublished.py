"""Operations that are accepted and not anchored yet, if they are to count before that.

So that whoever has created a DID need not wait for an anchor to update it. Functions of a database
connection, and `UnpublishedOperations`, which keeps what the operation queue has taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import delete, select

from penstock.did.among import among
from penstock.did.operation_queue import operation_id
from penstock.did.operations.tables import unpublished_operations
from penstock.messaging.engine import INSERTS
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import QueuedOperation
    from penstock.errors import PublishError

__all__ = [
    "UnpublishedOperations",
    "add_unpublished",
    "expire_unpublished",
    "remove_unpublished",
    "unpublished_of_all",
]

_table = unpublished_operations.c


def add_unpublished(
    connection: Connection, operations: Iterable[QueuedOperation], *, now: float, lifetime: float
) -> None:
    """Keep operations for so many seconds at most; those that are there already stay as they are."""
    rows = [
        {
            "id": operation_id(each.operation_request),
            "suffix": each.unique_suffix,
            "type": each.type,
            "time": int(now),
            "protocol_version": each.protocol_version,
            "anchor_origin": msgspec.json.encode(each.anchor_origin).decode(),
            "request": each.operation_request,
            "expires_at": now + lifetime,
        }
        for each in operations
    ]
    if rows:
        insert = INSERTS[connection.dialect.name](unpublished_operations)
        connection.execute(insert.on_conflict_do_nothing(), rows)


def unpublished_of_all(connection: Connection, suffixes: Iterable[str], now: float) -> list[Anchored]:
    """Those of many DIDs that still count."""
    of_these = among(connection, _table.suffix, suffixes)
    found = select(unpublished_operations).where(of_these, _table.expires_at > now)
    return [
        Anchored(
            type=row.type,
            suffix=row.suffix,
            request=row.request,
            time=row.time,
            protocol_version=row.protocol_version,
            anchor_origin=msgspec.json.decode(row.anchor_origin),
        )
        for row in connection.execute(found)
    ]


def remove_unpublished(connection: Connection, requests: Iterable[bytes]) -> None:
    """They are anchored: the history has them."""
    ids = [operation_id(request) for request in requests]
    connection.execute(delete(unpublished_operations).where(among(connection, _table.id, ids)))


def expire_unpublished(connection: Connection, now: float, limit: int) -> int:
    """Delete up to so many that no longer count, for the expiry service; returns how many."""
    old = select(_table.id).where(_table.expires_at <= now).limit(limit)
    gone = connection.execute(delete(unpublished_operations).where(_table.id.in_(old)))
    return gone.rowcount


class UnpublishedOperations:
    """Keeps what was accepted."""

    def __init__(
        self, database: DomainDatabase, *, clock: Clock, types: Collection[str], lifetime: float
    ) -> None:
        """Nothing is kept yet.

        Args:
            database: With the layout OPERATIONS.
            types: unpublished-operation-store-operation-types.
            lifetime: unpublished-operation-lifetime, in seconds.
        """
        self._database = database
        self._clock = clock
        self._types = frozenset(types)
        self._lifetime = lifetime

    async def keep_many(self, operations: Sequence[QueuedOperation]) -> list[PublishError | None]:
        """Keep those of the types that count early; all are told that it went well.

        Raises:
            StoreError: the database is away; none was kept.
        """
        early = [each for each in operations if each.type in self._types]
        now = self._clock.now()
        await self._database.run(add_unpublished, early, now=now, lifetime=self._lifetime)
        return [None] * len(operations)
