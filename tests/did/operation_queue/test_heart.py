from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.did.operation_queue.heart import Heart
from penstock.did.operation_queue.tables import tasks
from tests.did.operation_queue.helpers import run
from tests.did.operation_queue.support import NOW, rows

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase


def heard(database: DomainDatabase) -> list[float]:
    return rows(database, "updated_at", table=tasks)


async def until(database: DomainDatabase, beats: list[float]) -> None:
    while heard(database) != beats:  # noqa: ASYNC110  a thread is waited for
        await asyncio.sleep(0.001)


def test_it_beats_at_the_start_and_at_every_interval(
    kept_in_memory: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        heart = Heart(kept_in_memory, me="me", clock=clock, interval=10.0)
        await heart.start()
        assert heard(kept_in_memory) == [NOW]
        for beats in (1, 2, 3):
            await asyncio.sleep(0.005)
            clock.advance(10)
            await until(kept_in_memory, [NOW + 10 * beats])
        await heart.stop()
        clock.advance(10)
        await asyncio.sleep(0.005)
        assert heard(kept_in_memory) == [NOW + 30]
        await heart.stop()

    run(story())


def test_while_the_database_is_away_it_beats_on(kept_in_memory: DomainDatabase, clock: VirtualClock) -> None:
    async def story() -> None:
        heart = Heart(kept_in_memory, me="me", clock=clock, interval=10.0)
        await heart.start()
        await asyncio.sleep(0)
        kept_in_memory.do(lambda c: c.exec_driver_sql("ALTER TABLE penstock_operation_tasks RENAME TO away"))
        clock.advance(10)
        await asyncio.sleep(0.05)
        kept_in_memory.do(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO penstock_operation_tasks"))
        clock.advance(10)
        await until(kept_in_memory, [NOW + 20])
        await heart.stop()

    run(story())
