from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from http.client import HTTPConnection, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from penstock.errors import BadSetting, CannotListen
from penstock.panel.serving import open_panel
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings
from tests.panel.asgi import GUEST
from tests.server.certified import Authority

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from penstock.panel.serving import PanelServer

FREE = (Address("127.0.0.1", 0),)


@asynccontextmanager
async def served(**settings: Any) -> AsyncIterator[PanelServer]:
    embedded = await Embedded.start(Settings(amqp=(), **settings))
    try:
        server = await open_panel(embedded)
        try:
            yield server
        finally:
            await server.close()
    finally:
        await embedded.close()


def ask(connection: HTTPConnection, path: str) -> tuple[int, bytes]:
    try:
        connection.request("GET", path, headers=GUEST)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_panel_is_served_in_the_brokers_loop() -> None:
    async def story() -> None:
        async with served(panel=FREE) as server:
            [url] = server.urls
            port = urlsplit(url).port
            assert url.startswith("http://127.0.0.1:")
            status, body = await asyncio.to_thread(ask, HTTPConnection("127.0.0.1", port), "/api/overview")
            assert (status, f'"port":{port}'.encode() in body) == (200, True)
        with pytest.raises(OSError, match="refused"):
            await asyncio.to_thread(ask, HTTPConnection("127.0.0.1", port), "/api/overview")

    asyncio.run(story())


def test_a_panel_is_served_over_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")

    async def story() -> None:
        async with served(panel_tls=FREE, amqps_certificate=certificate, amqps_key=key) as server:
            [url] = server.urls
            trusting = ssl.create_default_context(cafile=authority.file)
            trusting.check_hostname = False
            link = HTTPSConnection("127.0.0.1", urlsplit(url).port, context=trusting)
            assert (await asyncio.to_thread(ask, link, "/api/whoami"))[0] == 200

    asyncio.run(story())


def test_an_address_that_is_taken_is_told_by_its_setting() -> None:
    async def story() -> None:
        async with served(panel=FREE) as server:
            taken = (Address("127.0.0.1", urlsplit(server.urls[0]).port or 0),)
            with pytest.raises(CannotListen, match="Change the setting panel"):
                async with served(panel=(*FREE, *taken)):
                    pass

    asyncio.run(story())


def test_tls_needs_a_certificate() -> None:
    with pytest.raises(BadSetting, match="panel_tls needs amqps_certificate"):
        Settings(panel_tls=FREE)
