from __future__ import annotations

import asyncio

import pytest

from penstock.errors import InvalidMessage
from penstock.workers.gateway import Sender
from tests.workers.gateway.support import gateway_on, opened_broker, talk


def test_users_and_rooms_are_reached_and_it_is_told_if_no_gateway_hears() -> None:
    async def story() -> None:
        async with opened_broker() as broker:
            sender = Sender(broker)
            assert await sender.to_user(3, "/x", {}) is False
            async with gateway_on(broker) as gateway, talk(gateway.port) as client:
                assert await sender.to_user("3", "/x", [1]) is True
                assert (await client.next())["content"] == [1]
                await client.ask("/room/join", room="planet:5")
                assert await sender.to_room("planet:5", "/y", None) is True
                told = await client.next()
                assert (told["room"], told["route"], told["content"]) == ("planet:5", "/y", None)
            with pytest.raises(InvalidMessage):
                await sender.to_user(3, "/x", object())

    asyncio.run(story())
