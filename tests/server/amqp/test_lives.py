from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from penstock.broker import LIVES
from penstock.client import Binding, Outgoing, Queue, connect
from penstock.server.embedded import Embedded
from penstock.settings import Settings
from penstock.wire.amqp import BasicProperties


async def lives(settings: Settings, key: str = "#") -> list[Any]:
    """What is told of three messages: one consumed, one nobody wants, one thrown away."""
    broker = await Embedded.start(settings)
    client = await connect(broker.url, dial=broker.dial)
    await client.declare(Queue("log"), Binding(LIVES, "log", key), Queue("work"))
    for number, name in enumerate(("work", "nowhere", "work")):
        properties = BasicProperties.of(message_id=f"m{number}", type="Made")
        await client.publish(Outgoing("", name, b"x", properties, mandatory=False))
    first = await client.get("work")
    second = await client.get("work")
    assert first is not None
    assert second is not None
    await first.ack_for_certain()
    second.reject()
    told: list[Any] = []
    while len(told) < (10 if key == "#" else 1):
        message = await client.get("log")
        if message is not None:
            told += json.loads(message.body)
            message.ack()
    await client.close()
    await broker.close()
    return told


@pytest.fixture
def settings() -> Settings:
    return Settings(message_lives="on")


def test_a_queue_gets_what_happens_to_every_message(settings: Settings) -> None:
    told = asyncio.run(asyncio.wait_for(lives(settings), 60))
    told.sort(key=lambda row: row["number"])
    by_message: dict[str, list[Any]] = {}
    for row in told:
        by_message.setdefault(row["message_id"], []).append((row["step"], row["queue"], row["reason"]))
    assert by_message == {
        "m0": [
            ("published", "", ""),
            ("routed", "work", ""),
            ("delivered", "work", ""),
            ("acked", "work", ""),
        ],
        "m1": [("published", "", ""), ("unroutable", "", "")],
        "m2": [
            ("published", "", ""),
            ("routed", "work", ""),
            ("delivered", "work", ""),
            ("dead", "work", "rejected"),
        ],
    }
    assert {(row["type"], row["exchange"]) for row in told} == {("Made", "")}
    assert [row["number"] for row in told] == sorted({row["number"] for row in told})


def test_the_routing_key_is_the_step(settings: Settings) -> None:
    told = asyncio.run(asyncio.wait_for(lives(settings, "dead"), 60))
    assert [row["step"] for row in told] == ["dead"]


def test_a_broker_that_is_not_told_to_tells_nothing() -> None:
    async def story() -> None:
        broker = await Embedded.start()
        assert LIVES not in broker.broker.hosts["/"].wiring.proxies
        await broker.close()

    asyncio.run(story())
