"""The entities service: the others' copy of what is on the chains.

Each message is applied exactly once: the inbox's row, the change and the message to the next service are
one transaction. Messages may come in any order, since some are retried: a revision says which is newer,
and a deleted entity leaves its number behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, Column, Integer, String, Table, func, insert, select, update

from examples.commons.events import EntityChanged, EntityCreated, EntityDeleted, EntityUpdated
from examples.commons.service import Service
from penstock.errors import PersistentError
from penstock.messaging.subscriptions import Backoff
from penstock.outbox import idempotent

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from penstock.messaging.subscriptions import Context

__all__ = ["Entities"]

#: What each event is called when people are told.
CHANGES: dict[type, str] = {EntityCreated: "created", EntityUpdated: "updated", EntityDeleted: "deleted"}


class Entities(Service):
    """Keeps the copy, and passes every change on."""

    def __init__(self, database: str, **how: Any) -> None:
        super().__init__(database, **how)
        self.entities = Table(
            "entities",
            self.metadata,
            Column("id", String, primary_key=True),
            Column("chain", String, nullable=False),
            Column("title", String, nullable=False),
            Column("revision", Integer, nullable=False),
            Column("is_deleted", Boolean, nullable=False, default=False),
            #: How many messages were applied, which must be how many there were.
            Column("applied", Integer, nullable=False, default=1),
        )
        handler = idempotent(self.engine, inbox=self.inbox)(self._apply)
        self.app.consumer(*CHANGES, name="Entities", retry=Backoff(attempts=10), pool=4)(handler)
        # It tells the next service of these, and so they have a place in the topology.
        self.app.events.add(EntityChanged)

    async def _apply(self, event: Any, _: Context, connection: AsyncConnection) -> None:
        title = getattr(event, "title", "")
        if not title and not isinstance(event, EntityDeleted):
            raise PersistentError(f"entity {event.id} has no title")
        await self._merge(connection, event, title)
        change = EntityChanged(event.id, event.chain, CHANGES[type(event)], title)  # type: ignore[arg-type]
        await self.outbox.add(connection, change)

    async def _merge(self, connection: AsyncConnection, event: Any, title: str) -> None:
        entities = self.entities
        is_deleted = isinstance(event, EntityDeleted)
        row = {"chain": event.chain, "revision": event.revision, "is_deleted": is_deleted}
        if title:
            row["title"] = title
        mine = entities.c.id == event.id
        newer = update(entities).where(mine, entities.c.revision < event.revision)
        counted = {"applied": entities.c.applied + 1}
        if (await connection.execute(newer.values(**row, **counted))).rowcount:
            return
        # Not there yet, or late: what is newer stays.
        if not (await connection.execute(update(entities).where(mine).values(**counted))).rowcount:
            await connection.execute(insert(entities).values(id=event.id, **{"title": "", **row}))

    async def state(self) -> dict[str, str]:
        """Entity → title, of those that are not deleted."""
        entities = self.entities
        return dict(await self.rows(select(entities.c.id, entities.c.title).where(~entities.c.is_deleted)))

    async def applied(self) -> int:
        """How many messages were applied."""
        return int((await self.rows(select(func.coalesce(func.sum(self.entities.c.applied), 0))))[0][0])
