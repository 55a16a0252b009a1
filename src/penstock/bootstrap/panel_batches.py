"""Batches for the panel: a DID domain's records behind the panel's port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from penstock.did.batches.anchors import known_anchors
from penstock.did.batches.contents import operations_of_batch
from penstock.did.batches.progress import batches_in_progress, maybe_batch
from penstock.did.batches.story import maybe_story
from penstock.did.batches.waiting import waiting_operations
from penstock.panel.own.did_port import Anchor, Batch, BatchOperation, Did, OneBatch, WaitingOperations

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

__all__ = ["DomainBatches"]


class DomainBatches:
    """The batches of the domain whose database this is; nothing is written there."""

    def __init__(self, database: DomainDatabase) -> None:
        self._database = database

    async def listed(self, limit: int) -> list[Batch]:
        found = await self._database.ask(batches_in_progress, limit)
        return msgspec.convert(found, list[Batch], from_attributes=True)

    async def find(self, number: int, *, start: int, limit: int) -> OneBatch | None:
        batch = await self._database.ask(maybe_batch, number)
        if batch is None:
            return None
        found = await self._database.ask(operations_of_batch, number, start, limit)
        return OneBatch(
            batch=msgspec.convert(batch, Batch, from_attributes=True),
            operations=msgspec.convert(found, list[BatchOperation], from_attributes=True),
        )

    async def waiting(self) -> WaitingOperations:
        found = await self._database.ask(waiting_operations)
        return msgspec.convert(found, WaitingOperations, from_attributes=True)

    async def anchors(self, limit: int) -> list[Anchor]:
        found = await self._database.ask(known_anchors, limit)
        return msgspec.convert(found, list[Anchor], from_attributes=True)

    async def did(self, suffix: str) -> Did | None:
        found = await self._database.ask(maybe_story, suffix)
        return None if found is None else msgspec.convert(found, Did, from_attributes=True)
