"""A small town of everything that commands ask about: a broker with its panel, databases, a DID domain."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.client import Queue, connect
from penstock.did.domain.folder import DataFolder
from penstock.did.domain.parts import create_tables, open_database
from penstock.messaging import Destination, Message
from penstock.messaging.dead_letters import DeadLetterStore
from penstock.outbox import Outbox
from penstock.pipelines.tables import Location
from penstock.workers.schedules import Scheduled, Schedules
from tests.did.domain.helpers import places_in
from tests.messaging.dead_letters.making import FAILED
from tests.pipelines.tables.helpers import append, spark_json

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.messaging.dead_letters import DeadLetter
    from tests.did.client.paper import PaperDomain
    from tests.servers.managed import Managed

PIPELINES = """
from penstock.pipelines.declared import Parquet, Rate, pipeline

@pipeline("counted", source=Rate(), sink=Parquet("counted"))
def counted(rows):
    return rows
"""


class Town:
    """Built in a folder, around a broker; `environment` is what commands are told of it."""

    def __init__(self, folder: Path, managed: Managed, paper: PaperDomain) -> None:
        self.folder = folder
        self.url = managed.running.url
        self.name = f"town-{uuid.uuid4().hex[:8]}"
        self.database = f"sqlite:///{folder / 'app.db'}"
        self.pipelines = f"module_{uuid.uuid4().hex}"
        self.environment = {
            "PENSTOCK_MANAGEMENT": managed.management,
            "MQ_URL": self.url,
            "DATABASE_URL": self.database,
            "MQ_DEAD_LETTERS": f"sqlite:///{folder / 'dead.db'}",
            "PENSTOCK_SCHEDULES": f"sqlite:///{folder / 'schedules.db'}",
            "PENSTOCK_EVENT_LOG": str(folder / "log"),
            "PENSTOCK_DID_URL": paper.url,
            "PENSTOCK_WALLET": str(folder / "wallet"),
        }
        (folder / f"{self.pipelines}.py").write_text(PIPELINES)
        asyncio.run(self._queues())
        self._outbox()
        self._dead_letters()
        self._schedules()
        self._log()
        self._domain()

    @property
    def dead(self) -> list[DeadLetter]:
        """Dead letters m1 to m3, of a consumer whose queue is there."""
        return [replace(FAILED, message_id=f"m{number}", queue=self.name) for number in (1, 2, 3)]

    async def _queues(self) -> None:
        async with await connect(self.url) as client:
            await client.declare(Queue(self.name), Queue(f"{self.name}-too"))

    def _outbox(self) -> None:
        engine, outbox = sa.create_engine(self.database), Outbox()
        outbox.metadata.create_all(engine)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE threads (id INTEGER PRIMARY KEY)")
            outbox.add(connection, Message(body=b"{}"), to=Destination.queue(self.name))
        engine.dispose()

    def _dead_letters(self) -> None:
        store = DeadLetterStore(self.environment["MQ_DEAD_LETTERS"])
        store.create()
        store.keep(self.dead)
        store.close()

    def _schedules(self) -> None:
        store = Schedules(self.environment["PENSTOCK_SCHEDULES"])
        store.create()
        for key in ("one", "two"):
            store.put(Scheduled(key=key, job=key, due_at=4e9, queue=self.name, body=b"{}", priority=5))
        store.close()

    def _log(self) -> None:
        row = {"message_id": "m1", "day": date(2026, 1, 31), "type": "OrderPlaced"}
        schema = spark_json(message_id="string", day="date", type="string")
        append(Location(str(self.folder / "log" / "events")), schema, [row], partition_by=["day", "type"])

    def _domain(self) -> None:
        places = replace(places_in(self.folder, self.name), broker=self.url)
        DataFolder(self.folder).write(places)
        database = open_database(places)
        create_tables(database)
        database.close()
