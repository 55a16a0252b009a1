"""The names by which a panel answers, over a real socket and without one."""

from __future__ import annotations

import asyncio
import http.client
import socket
from base64 import b64encode
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from penstock.panel.hosts import OwnHosts
from penstock.panel.serving import open_panel
from penstock.server.embedded import Embedded
from penstock.settings import Settings
from penstock.settings.address import Address

GUEST = "Basic " + b64encode(b"guest:guest").decode()
HERE = Address("127.0.0.1", 0)


async def nothing(*_: object) -> None:
    """An application that nobody asks."""


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost", True),
        ("LOCALHOST:15672", True),
        ("127.0.0.1:15672", True),
        ("192.0.2.7", True),
        ("[::1]:15672", True),
        ("panel.example.:15672", True),
        (f"{socket.gethostname()}:15672", True),
        ("listener.example:1", True),
        ("evil.example", False),
        ("evil.example:15672", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("2130706433", False),
        ("[evil.example]", False),
        ("", False),
    ],
)
def test_a_panel_knows_its_names(host: str, *, is_own: bool) -> None:
    listener = Address("listener.example", 0)
    settings = Settings(amqp=(), panel=(HERE, listener), panel_hosts=("Panel.example",))
    assert OwnHosts(nothing, settings).is_own(host) is is_own


def test_any_name_will_do_where_somebody_else_looks_at_it() -> None:
    assert OwnHosts(nothing, Settings(panel_hosts=("*",))).is_own("evil.example")


def asked(url: str, host: str) -> tuple[int, str]:
    where = urlsplit(url)
    line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=10)
    headers = {"Host": host, "Origin": f"http://{host}", "Authorization": GUEST}
    try:
        line.request("PUT", "/api/users/evil", '{"password": "x", "tags": ""}', headers)
        answer = line.getresponse()
        return answer.status, answer.read().decode()
    finally:
        line.close()


async def upgraded(url: str, host: str) -> int:
    """The status with which a live socket is answered."""
    where = urlsplit(url)
    headers = {"Authorization": GUEST}
    try:
        async with connect(
            f"ws://{host}/live", host=where.hostname, port=where.port, additional_headers=headers
        ):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_a_page_whose_name_was_made_to_lead_here_gets_nothing() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=(), panel=(HERE,), panel_hosts=("panel.example",)))
        server = await open_panel(embedded)
        try:
            url = server.urls[0]
            port = urlsplit(url).port
            status, told = await asyncio.to_thread(asked, url, f"evil.example:{port}")
            assert status == 421
            assert "panel_hosts" in told
            assert "evil" not in embedded.front.access.realm.users
            assert await upgraded(url, "evil.example") == 403
            assert await upgraded(url, "panel.example") == 101
            assert (await asyncio.to_thread(asked, url, f"panel.example:{port}"))[0] == 201
        finally:
            await server.close()
            await embedded.close()

    asyncio.run(story())
