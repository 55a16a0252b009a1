from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.expiry import BATCH, ExpiryService

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase

T = sa.Table(
    "t", sa.MetaData(), sa.Column("n", sa.Integer, primary_key=True), sa.Column("expires_at", sa.Double)
)


class Sweep:
    """Deletes what has expired, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, connection: sa.Connection, now: float, limit: int) -> int:
        self.asked.append(limit)
        some = sa.select(T.c.n).where(T.c.expires_at <= now).limit(limit)
        return connection.execute(sa.delete(T).where(T.c.n.in_(some))).rowcount


def test_what_has_expired_goes_in_batches_until_none_is_left(
    database: DomainDatabase, clock: VirtualClock
) -> None:
    database.do(T.create)
    rows = [{"n": n, "expires_at": clock.now() + n} for n in range(20)]
    database.do(lambda connection: connection.execute(sa.insert(T), rows))
    service, sweep = ExpiryService(database, clock=clock, batch=4), Sweep()
    service.register("things", sweep)
    service.register("nothing", lambda _connection, _now, _limit: 0)
    clock.advance(9)
    assert asyncio.run(service.run()) == {"things": 10, "nothing": 0}
    assert sweep.asked == [4, 4, 4]
    assert asyncio.run(service.run()) == {"things": 0, "nothing": 0}


def test_the_service_is_a_task(memory: DomainDatabase, clock: VirtualClock) -> None:
    service = ExpiryService(memory, clock=clock)
    task = service.task(60.0)
    assert (task.name, task.interval, task.run, BATCH) == ("data-expiry", 60.0, service.run, 5000)
