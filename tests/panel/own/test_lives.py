"""One message's life, from publish to ack."""

from __future__ import annotations

import asyncio

from penstock.client import Outgoing, Queue, connect
from penstock.panel.own import Resources
from penstock.panel.own.lives import STEPS, Lives
from penstock.wire.amqp import BasicProperties
from tests.panel.asgi import opened
from tests.panel.own.lifelike import happened


def test_a_message_is_followed_from_publish_to_ack() -> None:
    async def story() -> None:
        lives = Lives()
        async with opened(resources=Resources(lives=lives), message_lives="on") as guest:
            embedded = guest.panel.embedded
            assert embedded.teller is not None
            embedded.teller.also = lives.note
            client = await connect(embedded.url, dial=embedded.dial)
            await client.declare(Queue("work"))
            await client.publish(Outgoing("", "work", b"1", BasicProperties.of(message_id="m/1")))
            delivery = await client.get("work")
            assert delivery is not None
            delivery.ack()
            await client.close()
            told = (await guest.get("/api/penstock/messages/%2F/m%2F1")).json
            assert told["id"] == "m/1"
            assert [each["step"] for each in told["steps"]] == ["published", "routed", "delivered", "acked"]
            assert told["steps"][1]["queue"] == "work"
            assert (await guest.get("/api/penstock/messages/%2F/m2")).status == 404
            assert (await guest.get("/api/penstock/messages/nowhere/m2")).status == 404

    asyncio.run(story())


def test_as_many_are_kept_as_fit_and_no_life_is_endless() -> None:
    lives = Lives(most=2)
    for name in ("a", "b", "a", "c"):
        lives.note(*happened(name))
    assert [lives.find("/", name) is not None for name in "abc"] == [True, False, True]
    for _ in range(2 * STEPS):
        lives.note(*happened("a"))
    found = lives.find("/", "a")
    assert found is not None
    assert len(found.steps) == STEPS


def test_a_message_without_an_id_is_nobodys_life() -> None:
    lives = Lives()
    lives.note(*happened(None))
    assert repr(lives) == "<Lives of 0 messages>"
