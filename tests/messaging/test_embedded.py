from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client import ClientSettings, Queue
from penstock.errors import LoginRefused, StoreLocked
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.embedded import EmbeddedBroker
from penstock.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

BILLS = Destination.queue("bills")


def test_what_is_durable_outlives_the_process_if_there_is_a_folder(tmp_path: Path) -> None:
    async def before() -> None:
        broker = await EmbeddedBroker.start(data=tmp_path)
        await broker.initialize(Topology(queues=(Queue("bills"),)))
        await broker.publish(Message(body=b"1", id="m1"), BILLS)
        await broker.close()

    async def after() -> None:
        broker = await EmbeddedBroker.start(data=tmp_path)
        received = await broker.fetch("bills")
        assert received is not None
        assert received.message.id == "m1"
        await broker.close()

    asyncio.run(before())
    asyncio.run(after())


def test_a_folder_that_somebody_has_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        broker = await EmbeddedBroker.start(data=tmp_path)
        with pytest.raises(StoreLocked):
            await EmbeddedBroker.start(data=tmp_path)
        await broker.close()

    asyncio.run(story())


def test_a_client_that_cannot_connect_leaves_no_broker_behind(tmp_path: Path) -> None:
    async def story() -> None:
        await (await EmbeddedBroker.start(data=tmp_path)).close()
        changed = Settings(default_password="not what the folder knows")  # noqa: S106
        with pytest.raises(LoginRefused):
            await EmbeddedBroker.start(
                settings=changed, client=ClientSettings(connect_max_retries=0), data=tmp_path
            )
        await (await EmbeddedBroker.start(data=tmp_path)).close()

    asyncio.run(story())
