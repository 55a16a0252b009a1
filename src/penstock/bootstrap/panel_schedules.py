"""Schedules for the panel: the workers' store behind the panel's port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.panel.own.port import Schedule

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.workers.schedules import Schedules

__all__ = ["WorkersSchedules"]


class WorkersSchedules:
    """Schedules as workers keep them."""

    def __init__(self, store: Schedules, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def listed(self, limit: int) -> list[Schedule]:
        found = await self._store.run(self._store.waiting, self._clock.now(), limit)
        return [
            Schedule(
                kind=each.kind,
                key=each.key,
                due_at=each.due_at,
                queue=each.queue,
                cron=each.cron,
                is_leaving=each.is_leaving,
            )
            for each in found
        ]

    async def run(self, key: str) -> bool:
        now = self._clock.now()
        return await self._store.run(self._store.move, key, now, now)

    async def cancel(self, key: str) -> bool:
        return await self._store.run(self._store.cancel, key, self._clock.now())
