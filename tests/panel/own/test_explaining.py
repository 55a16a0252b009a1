"""Where a message would go, over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.panel.asgi import Asker, opened

PATH = "/api/penstock/explain/%2F"


def wire(guest: Asker) -> None:
    wiring = guest.panel.embedded.broker.hosts["/"].wiring
    for name, pattern in (("all", "order.#"), ("new", "order.new.*")):
        wiring.register(wiring.create_queue(name, now=0.0), "amq.topic", pattern)


def test_every_registration_that_was_tried_says_why_not() -> None:
    async def story() -> None:
        async with opened() as guest:
            wire(guest)
            told = (await guest.post(PATH, {"proxy": "amq.topic", "routing_key": "order.paid"})).json
            assert told["queues"] == ["all"]
            by_target = {each["targets"][0]: each["why_not"] for each in told["trials"]}
            assert by_target["queue all"] is None
            assert by_target["queue new"]
            assert guest.panel.embedded.broker.hosts["/"].wiring.queue("all").ready == 0

    asyncio.run(story())


def test_a_copy_to_another_key_is_followed_too() -> None:
    async def story() -> None:
        async with opened() as guest:
            wire(guest)
            supposed = {"proxy": "amq.topic", "routing_key": "x", "headers": {"CC": ["order.new.eu"]}}
            assert (await guest.post(PATH, supposed)).json["queues"] == ["all", "new"]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("target", "body", "status"),
    [
        ("/api/penstock/explain/nowhere", {}, 404),
        (PATH, {"proxy": "nowhere"}, 404),
        (PATH, {"routing_key": 3}, 400),
        (PATH, {"headers": {"x": 2**70}}, 400),
        (PATH, {"headers": {"CC": 3}}, 400),
        (PATH, {"routing_key": "x" * 300}, 200),
    ],
    ids=str,
)
def test_what_cannot_be_sent_cannot_be_explained(target: str, body: Any, status: int) -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await guest.post(target, body)
            assert answer.status == status, answer.body

    asyncio.run(story())
