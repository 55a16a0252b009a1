from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client import ClientSettings, connect
from penstock.clock import VirtualClock
from penstock.errors import BadUrl, LoginRefused, NotConnected
from tests.client.fake import FakeBroker, turns
from tests.client.support import story
from tests.servers.running import free_port

if TYPE_CHECKING:
    from tests.servers.running import Running


@story
async def test_a_client_is_connected_when_it_is_handed_out() -> None:
    async with await connect("amqp://one", dial=FakeBroker().dial) as client:
        assert client.is_connected
    assert not client.is_connected


@story
async def test_of_several_urls_one_that_answers_is_enough(broker: Running) -> None:
    urls = [f"amqp://127.0.0.1:{free_port()}", broker.url]
    async with await connect(urls) as client:
        assert client.is_connected


@story
async def test_a_wrong_password_is_told_at_once(broker: Running) -> None:
    with pytest.raises(LoginRefused):
        await connect(broker.url.replace("guest@", "wrong@"))


@story
async def test_a_broker_that_is_not_there_is_tried_as_often_as_the_settings_say() -> None:
    broker, clock = FakeBroker(), VirtualClock()
    broker.refusals = [OSError("down")] * 4
    settings = ClientSettings(connect_max_retries=3)
    connecting = asyncio.ensure_future(
        connect("amqp://one", dial=broker.dial, settings=settings, clock=clock)
    )
    for _ in range(4):
        await turns(20)
        clock.advance(60)
    with pytest.raises(NotConnected, match="down"):
        await connecting
    assert broker.refusals == []


@story
async def test_a_bad_url_is_told_before_anything_is_tried() -> None:
    with pytest.raises(BadUrl):
        await connect("localhost:5672")
