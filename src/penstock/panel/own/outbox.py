"""Outboxes: how much waits to be published, for how long, and what fails."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock.messaging.engine import translating
from penstock.outbox import Outbox, put_back, status_of
from penstock.panel.replies import ApiFault, json_reply

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["OutboxDesk", "listed", "return_aside"]


class OutboxDesk:
    """One outbox, in the application's database."""

    def __init__(self, engine: Engine, table: str) -> None:
        self._engine = engine
        self._outbox = Outbox(table)
        self.name = table

    async def status(self) -> dict[str, Any]:
        """How it is doing."""
        return await asyncio.to_thread(self._status)

    async def put_back(self) -> int:
        """Let what was set aside wait again; returns how many."""
        return await asyncio.to_thread(self._put_back)

    def _status(self) -> dict[str, Any]:
        with translating("the outbox"), self._engine.connect() as connection:
            return {"name": self.name, **asdict(status_of(connection, self._outbox))}

    def _put_back(self) -> int:
        with translating("the outbox"), self._engine.begin() as connection:
            return put_back(connection, self._outbox)


async def listed(visit: Visit) -> Reply:
    """All outboxes that the panel was told of."""
    return json_reply([await visit.panel.resources.demand("outbox").status()])


async def return_aside(visit: Visit, name: str) -> Reply:
    """Let rows that were set aside wait again, as if they were new."""
    desk: OutboxDesk = visit.panel.resources.demand("outbox")
    if name != desk.name:
        raise ApiFault(404, f"there is no outbox {name!r} here; there is {desk.name!r}")
    return json_reply({"put_back": await desk.put_back()})
