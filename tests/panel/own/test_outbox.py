"""Outboxes over HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sqlalchemy import update

from penstock.messaging import Destination, Message
from penstock.outbox import Outbox
from penstock.outbox.opening import open_engine
from penstock.outbox.table import SET_ASIDE
from penstock.panel.own import Resources
from penstock.panel.own.outbox import OutboxDesk
from tests.panel.asgi import opened

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine


def filled(folder: Path) -> Engine:
    """An outbox with two messages, of which one was set aside."""
    engine = open_engine(f"sqlite:///{folder}/app.db")
    outbox = Outbox()
    outbox.table.metadata.create_all(engine)
    with engine.begin() as connection:
        for number in ("1", "2"):
            outbox.add(connection, Message(body=b"{}", id=number), to=Destination.queue("orders"))
        aside = update(outbox.table).where(outbox.table.c.id == "2")
        connection.execute(aside.values(relayed=SET_ASIDE, attempts=3, error="nobody takes it"))
    return engine


def test_how_much_waits_what_fails_and_how_it_is_put_back(tmp_path: Path) -> None:
    async def story() -> None:
        engine = filled(tmp_path)
        async with opened(resources=Resources(outbox=OutboxDesk(engine, "penstock_outbox"))) as guest:
            (told,) = (await guest.get("/api/penstock/outbox")).json
            assert (told["name"], told["waiting"], told["set_aside"]) == ("penstock_outbox", 1, 1)
            assert [(each["id"], each["error"]) for each in told["failing"]] == [("2", "nobody takes it")]
            answer = await guest.post("/api/penstock/outbox/penstock_outbox/put-back")
            assert answer.json == {"put_back": 1}
            assert (await guest.get("/api/penstock/outbox")).json[0]["waiting"] == 2
            assert (await guest.post("/api/penstock/outbox/other/put-back")).status == 404
        engine.dispose()

    asyncio.run(story())


def test_a_database_that_is_away_is_nobodys_mistake_who_asks(tmp_path: Path) -> None:
    async def story() -> None:
        engine = open_engine(f"sqlite:///{tmp_path}/empty.db")
        async with opened(resources=Resources(outbox=OutboxDesk(engine, "penstock_outbox"))) as guest:
            answer = await guest.get("/api/penstock/outbox")
            assert (answer.status, "no such table" in answer.json["reason"]) == (503, True)
        engine.dispose()

    asyncio.run(story())
