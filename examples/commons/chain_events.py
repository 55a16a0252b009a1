"""The chain events service: keeps what happens on the chains, and tells the others.

Both ways of the producer are here. What was seen on a chain is kept whatever becomes of the messages: the
row and its message are committed together, and a relay publishes until it succeeds. A chain is deleted
only if the others can be told: database first, then publish, and back again if that fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict
from sqlalchemy import Column, Integer, String, Table, delete, func, insert, select, update

from examples.commons.events import EntityCreated, EntityDeleted, EntityUpdated
from examples.commons.service import Service
from penstock.outbox import database_first

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["ChainEvents"]


class ChainEvents(Service):
    """Watches the chains."""

    def __init__(self, database: str, **how: Any) -> None:
        super().__init__(database, **how)
        self.entities = Table(
            "chain_entities",
            self.metadata,
            Column("id", String, primary_key=True),
            Column("chain", String, nullable=False),
            Column("title", String, nullable=False),
            Column("revision", Integer, nullable=False),
        )

    async def saw_created(self, entity: str, chain: str, title: str) -> None:
        """A new entity is on the chain."""
        async with self.engine.begin() as connection:
            created = EntityCreated(entity, chain, title, revision=1)
            await connection.execute(insert(self.entities).values(asdict(created)))
            await self.outbox.add(connection, created)

    async def saw_updated(self, entity: str, title: str) -> None:
        """An entity has another title."""
        async with self.engine.begin() as connection:
            row = await self._next_revision(connection, entity, title=title)
            await self.outbox.add(connection, EntityUpdated(**row))

    async def _next_revision(
        self, connection: AsyncConnection, entity: str, **changes: str
    ) -> dict[str, Any]:
        entities = self.entities
        statement = (
            update(entities)
            .where(entities.c.id == entity)
            .values(revision=entities.c.revision + 1, **changes)
            .returning(*entities.c)
        )
        return dict((await connection.execute(statement)).mappings().one())

    async def delete_chain(self, chain: str, *, timeout: float | None = None) -> int:  # noqa: ASYNC109
        """Delete a chain with all that is on it, if the others can be told; how many entities it had.

        Raises:
            PublishError: they cannot; everything is as it was, and the user may try again.
        """
        entities = self.entities
        async with (
            self.engine.connect() as connection,
            database_first(connection, self.app.broker, self.outbox, timeout=timeout) as publish,
        ):
            gone = delete(entities).where(entities.c.chain == chain)
            what = gone.returning(entities.c.id, entities.c.revision)
            rows = (await connection.execute(what)).all()
            for entity, revision in rows:
                publish(EntityDeleted(entity, chain, revision + 1))
        return len(rows)

    async def count(self) -> int:
        """How many entities there are."""
        return int((await self.rows(select(func.count()).select_from(self.entities)))[0][0])
