"""A broker with a management API, and the commands that ask it."""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Outgoing, Queue, connect
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from tests.servers.managed import Managed


class Office:
    """The commands, each told of this broker."""

    def __init__(self, managed: Managed) -> None:
        self.managed = managed
        self.queue = f"office-{uuid.uuid4().hex[:8]}"

    def run(self, *arguments: str, code: int = 0, given: str | None = None) -> str:
        environment = {"PENSTOCK_MANAGEMENT": self.managed.management, "COLUMNS": "200"}
        result = CliRunner().invoke(app, arguments, env=environment, input=given)
        assert result.exit_code == code, result.output
        return result.output

    def ask(self, *arguments: str, code: int = 0) -> Any:
        """What a program is told."""
        environment = {"PENSTOCK_MANAGEMENT": self.managed.management}
        result = CliRunner().invoke(app, [*arguments, "--json"], env=environment)
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    def fill(self, *bodies: bytes, queue: str | None = None, **properties: Any) -> None:
        """Make a queue with these messages."""

        async def filled() -> None:
            async with await connect(self.managed.running.url) as client:
                name = queue or self.queue
                await client.declare(Queue(name))
                told = BasicProperties.of(**properties)
                for body in bodies:
                    await client.publish(Outgoing("", name, body, told))

        asyncio.run(filled())

    def emptied(self, queue: str | None = None) -> list[bytes]:
        """What is in a queue; nothing is, afterwards."""

        async def fetched() -> list[bytes]:
            async with await connect(self.managed.running.url) as client:
                found = []
                while delivery := await client.get(queue or self.queue):
                    found.append(delivery.body)
                    delivery.ack()
                return found

        return asyncio.run(fetched())
