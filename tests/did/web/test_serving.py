from __future__ import annotations

import asyncio
import http.client
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.web.serving import WebServer, listen
from penstock.errors import CannotListen
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from starlette.requests import Request


async def page(request: Request) -> Response:
    return Response(b"hello")


def get(port: int) -> tuple[int, bytes, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/")
        found = connection.getresponse()
        return found.status, found.read(), found.getheader("server")
    finally:
        connection.close()


def test_a_server_answers_between_start_and_stop() -> None:
    async def story() -> None:
        server = WebServer(Starlette(routes=[Route("/", page)]), listen("127.0.0.1", 0))
        port = server.port
        await server.start()
        assert await asyncio.to_thread(get, port) == (200, b"hello", None)
        await server.stop()
        with pytest.raises(ConnectionError):
            await asyncio.to_thread(get, port)

    run(story())


def test_a_server_that_was_not_started_can_be_stopped() -> None:
    run(WebServer(Starlette(), listen("127.0.0.1", 0)).stop())


def test_an_address_that_is_taken_is_told_of() -> None:
    with listen("127.0.0.1", 0) as bound:
        bound.listen()
        with pytest.raises(CannotListen):
            listen("127.0.0.1", bound.getsockname()[1])
    with pytest.raises(CannotListen):
        listen("203.0.113.1", 0)
