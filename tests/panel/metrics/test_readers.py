"""What is told of readers."""

from __future__ import annotations

import asyncio

from penstock.panel.metrics.readers import by_reader
from penstock.wiring import Message
from tests.panel.asgi import opened
from tests.panel.metrics.reading import read


def test_how_far_behind_a_reader_is() -> None:
    async def story() -> None:
        async with opened() as guest:
            host = guest.panel.embedded.broker.hosts["/"]
            host.create_queue("q", now=0.0)
            assert read(by_reader([host], 0.0)) == {}
            reader = host.readers.open("q", "spark")
            host.wiring.publish("", [Message(b"", "q") for _ in range(3)], 0.0)
            host.wiring.deliver(0.0)
            reader.take(2, 10_000, 5.0)
            told = read(by_reader([host], 9.0))
            assert told["penstock_reader_messages_uncommitted", "/", "q", "spark"] == 2
            assert told["penstock_reader_oldest_message_age_seconds", "/", "q", "spark"] == 9.0

    asyncio.run(story())
