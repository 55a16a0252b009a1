from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.outbox import Status, put_back, status_of
from penstock.outbox.status import Failing
from tests.outbox.helpers import add, rows

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.clock import VirtualClock
    from penstock.outbox import Outbox


def change(engine: Engine, outbox: Outbox, id_: str, **values: object) -> None:
    with engine.begin() as connection:
        connection.execute(sa.update(outbox.table).where(outbox.table.c.id == id_).values(**values))


def test_an_empty_outbox_is_well(engine: Engine, outbox: Outbox) -> None:
    with engine.connect() as connection:
        assert status_of(connection, outbox) == Status(waiting=0, lag=0.0, set_aside=0, relayed=0)


def test_a_status_tells_what_waits_and_what_fails(
    engine: Engine, outbox: Outbox, clock: VirtualClock
) -> None:
    add(engine, outbox, b"1", b"2", b"3")
    clock.advance(30)
    add(engine, outbox, b"4", b"5")
    change(engine, outbox, "1", relayed=2)
    change(engine, outbox, "3", relayed=-1, attempts=5, error="full")
    change(engine, outbox, "4", attempts=1, error="lost")
    with engine.connect() as connection:
        found = status_of(connection, outbox)
    assert (found.waiting, found.lag, found.set_aside, found.relayed) == (3, 30.0, 1, 1)
    assert found.failing == (
        Failing(id="3", type="ThreadCreated", attempts=5, error="full", is_set_aside=True),
        Failing(id="4", type="ThreadCreated", attempts=1, error="lost", is_set_aside=False),
    )


def test_what_was_set_aside_is_put_back(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2", b"3", b"4")
    for id_ in ("1", "2", "3"):
        change(engine, outbox, id_, relayed=-1, attempts=5, error="full")
    change(engine, outbox, "4", relayed=1)
    with engine.begin() as connection:
        assert put_back(connection, outbox, ["2", "4"]) == 1
    assert rows(engine, outbox, "relayed") == [(-1,), (0,), (-1,), (1,)]
    with engine.begin() as connection:
        assert put_back(connection, outbox) == 2
    assert rows(engine, outbox, "relayed", "attempts", "error")[:3] == [(0, 0, None)] * 3
