"""The whole panel: opened with its resources, closed with them."""

from __future__ import annotations

import asyncio
import urllib.request
from base64 import b64encode
from typing import TYPE_CHECKING

import pytest

from penstock.bootstrap.panel import open_whole_panel
from penstock.errors import CannotListen
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings

if TYPE_CHECKING:
    from pathlib import Path

GUEST = {"Authorization": "Basic " + b64encode(b"guest:guest").decode()}


def get(url: str) -> str:
    request = urllib.request.Request(url, headers=GUEST)  # noqa: S310 (on loopback)
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        text: str = answer.read().decode()
        return text


def test_a_panel_shows_what_the_settings_name(tmp_path: Path) -> None:
    async def story() -> None:
        settings = Settings(
            amqp=(), panel=(Address("127.0.0.1", 0),), panel_schedules=f"sqlite:///{tmp_path}/schedules.db"
        )
        embedded = await Embedded.start(settings)
        panel = await open_whole_panel(embedded)
        assert await asyncio.to_thread(get, f"{panel.urls[0]}/api/penstock/schedules") == "[]"
        await panel.close()
        await embedded.close()

    asyncio.run(story())


def test_where_it_cannot_listen_nothing_stays_open() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=(), panel=(Address("192.0.2.1", 1),)))
        with pytest.raises(CannotListen):
            await open_whole_panel(embedded)
        await embedded.close()

    asyncio.run(story())
