"""An outbox in a file, and the commands on it."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Queue, connect
from penstock.messaging import Destination, Message
from penstock.outbox import Outbox

if TYPE_CHECKING:
    from pathlib import Path


class Desk:
    """An outbox in a file, and the commands on it."""

    def __init__(self, file: Path, broker: str) -> None:
        self.url = f"sqlite:///{file}"
        self.broker = broker
        self.queue = f"outbox-{uuid.uuid4().hex[:8]}"
        self.engine = sa.create_engine(self.url)
        self.outbox = Outbox()
        self.outbox.metadata.create_all(self.engine)

    @property
    def environment(self) -> dict[str, str | None]:
        return {"DATABASE_URL": self.url, "MQ_URL": self.broker, "COLUMNS": "200"}

    def add(self, *bodies: bytes, **more: Any) -> None:
        with self.engine.begin() as connection:
            for body in bodies:
                message = Message(body=body, id=body.decode(), type="ThreadCreated")
                self.outbox.add(connection, message, to=Destination.queue(self.queue), **more)

    def change(self, **values: Any) -> None:
        with self.engine.begin() as connection:
            connection.execute(sa.update(self.outbox.table).values(**values))

    def run(self, *arguments: str, code: int = 0, given: str | None = None) -> str:
        result = CliRunner().invoke(app, ["outbox", *arguments], env=self.environment, input=given)
        assert result.exit_code == code, result.output
        return result.output

    def arrived(self) -> list[bytes]:
        """What is in the queue now; it is empty afterwards."""

        async def fetch() -> list[bytes]:
            async with await connect(self.broker) as client:
                await client.declare(Queue(self.queue))
                bodies = []
                while delivery := await client.get(self.queue):
                    bodies.append(bytes(delivery.body))
                    delivery.ack()
                return bodies

        return asyncio.run(fetch())
