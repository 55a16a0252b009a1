from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadUrl, NotConnected
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.beanstalk import BeanstalkBroker
from penstock.messaging.embedded import EmbeddedBroker
from penstock.messaging.opening import open_amqp_broker, open_broker
from penstock.messaging.settings import MessagingSettings
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings
from tests.servers.running import free_port

if TYPE_CHECKING:
    from pathlib import Path

HASTY = MessagingSettings(mq_connect_max_retries=0, mq_connect_timeout=5)


def test_no_url_is_a_broker_in_this_process(tmp_path: Path) -> None:
    async def story() -> None:
        broker = await open_broker(None, settings=MessagingSettings(mq_data=tmp_path))
        assert isinstance(broker, EmbeddedBroker)
        await broker.close()

    asyncio.run(story())
    assert any(tmp_path.iterdir())


def test_a_url_is_a_broker_somewhere_and_several_are_a_cluster() -> None:
    async def story() -> None:
        port = free_port()
        embedded = await Embedded.start(Settings(amqp=(Address("127.0.0.1", port),)))
        await embedded.listen()
        nobody = f"amqp://guest:guest@127.0.0.1:{free_port()}/"
        broker = await open_broker(f"{nobody}, amqp://guest:guest@127.0.0.1:{port}/", settings=HASTY)
        assert type(broker) is AmqpBroker
        assert broker.product == "Penstock"
        await broker.close()
        with pytest.raises(NotConnected):
            await open_broker(nobody, settings=HASTY)
        await embedded.close()

    asyncio.run(story())


def test_what_is_no_url_is_refused() -> None:
    with pytest.raises(BadUrl):
        asyncio.run(open_broker("http://localhost", settings=HASTY))


def test_a_beanstalk_url_is_a_beanstalk_server() -> None:
    async def story() -> None:
        settings = Settings(amqp=(), beanstalk=(Address("127.0.0.1", 0),))
        embedded = await Embedded.start(settings)
        (url,) = await embedded.listen()
        broker = await open_broker(url, settings=HASTY)
        assert isinstance(broker, BeanstalkBroker)
        await broker.close()
        with pytest.raises(BadUrl, match="know nothing of each other"):
            await open_broker(f"{url},{url}")
        with pytest.raises(BadUrl, match="this needs exchanges, which beanstalk has not"):
            await open_amqp_broker(url)
        await embedded.close()

    asyncio.run(story())
