from __future__ import annotations

import asyncio
import logging
import resource
import socket
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.server import ServerState

from penstock.did.web import connections
from penstock.did.web.bodies import read_body
from penstock.did.web.connections import Connection
from penstock.did.web.serving import WebServer, listen
from tests.did.operation_queue.helpers import run
from tests.server.peer import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request

    Ask = Callable[..., asyncio.Future[bytes]]

#: Far more than the kernel keeps for a connection.
LARGE = 64 * 1024 * 1024
GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> list[Connection]:
    """The connections that are there."""
    found: list[Connection] = []
    made, lost = Connection.connection_made, Connection.connection_lost

    def come(self: Connection, transport: Any) -> None:
        made(self, transport)
        found.append(self)

    def go(self: Connection, exc: Exception | None) -> None:
        lost(self, exc)
        found.remove(self)

    monkeypatch.setattr(Connection, "connection_made", come)
    monkeypatch.setattr(Connection, "connection_lost", go)
    return found


async def page(request: Request) -> Response:
    return Response(b"hello" + await read_body(request, 100))


async def large(request: Request) -> Response:
    return Response(bytes(LARGE))


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    server = WebServer(
        Starlette(routes=[Route("/", page, methods=["GET", "POST"]), Route("/large", large)]),
        listen("127.0.0.1", 0),
    )
    await server.start()
    try:
        yield server.port
    finally:
        await server.stop()


async def heard(port: int, *pieces: bytes) -> bytes:
    """All that is answered to these pieces, as far as they can be sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        return await asyncio.wait_for(reader.read(), 30)
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    "head",
    [
        GET + b"X: " + b"x" * 600_000,
        GET + b"x: y\r\n" * 100_000,
        b"GET /" + b"x" * 600_000,
        POST + b"1;" + b"x" * 600_000,
        POST + b"0\r\n" + b"x: y\r\n" * 100_000,
    ],
    ids=["header", "headers", "path", "extension of a chunk", "trailers"],
)
def test_what_comes_without_end_before_a_request_is_refused(head: bytes) -> None:
    async def story() -> bytes:
        async with served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head)
            try:
                return await asyncio.wait_for(reader.read(4096), 30)
            finally:
                writer.close()

    assert run(story()).startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 400 "))


def test_a_request_that_comes_byte_by_byte_is_answered() -> None:
    async def story() -> bytes:
        async with served() as port:
            pieces = (GET + b"Connection: close\r\n\r\n").decode()
            return await heard(port, *(each.encode() for each in pieces))

    assert run(story()).endswith(b"\r\n\r\nhello")


@pytest.mark.parametrize("pieces", [[], [b"\r\n"], [b"GET / HT"], [GET, b"X: y\r\n"]], ids=str)
def test_whoever_asks_for_nothing_does_not_stay(pieces: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_IN", 0.2)

    async def story() -> bytes:
        async with served() as port:
            return await heard(port, *pieces)

    assert run(story()) == b""


def test_whoever_asks_for_nothing_more_does_not_stay_either(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET + b"\r\n")
            await reader.readuntil(b"hello")
            # With this uvicorn waits no longer, and for nothing.
            monkeypatch.setattr(connections, "HEAD_IN", 0.1)
            writer.write(b"\r\n")
            assert await asyncio.wait_for(reader.read(), 30) == b""
            writer.close()

    run(story())


def test_requests_wait_in_the_network_while_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    most, count = 0, 20_000
    begun = Connection.on_headers_complete

    def counted(self: Connection) -> None:
        nonlocal most
        begun(self)
        most = max(most, len(self.pipeline))

    monkeypatch.setattr(Connection, "on_headers_complete", counted)
    one = b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n!"

    async def story() -> bytes:
        async with served() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(one * (count - 1) + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            try:
                return await asyncio.wait_for(reader.read(), 100)
            finally:
                writer.close()

    assert run(story()).count(b"hello!") == count
    # No more than what is read at once.
    assert most * len(one) <= 300 * 1024


def test_an_answer_that_nobody_takes_is_taken_back(
    monkeypatch: pytest.MonkeyPatch, there: list[Connection]
) -> None:
    monkeypatch.setattr(connections, "TAKEN_IN", 0.2)

    async def story() -> int:
        taken = 0
        async with served() as port:
            loop = asyncio.get_running_loop()
            with socket.create_connection(("127.0.0.1", port)) as bound:
                bound.settimeout(0)
                await loop.sock_sendall(bound, b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                await until(lambda: there)
                await until(lambda: not there)
                with suppress(ConnectionError):
                    while piece := await asyncio.wait_for(loop.sock_recv(bound, 1 << 20), 30):
                        taken += len(piece)
        return taken

    assert run(story()) < LARGE


class PaperTransport:
    """Has bytes that were not taken yet, and fewer at each look."""

    def __init__(self, left: int, *, pace: int = 0) -> None:
        self.left = left
        self.pace = pace
        self.ends: list[str] = []

    def get_write_buffer_size(self) -> int:
        self.left -= self.pace
        return self.left

    def get_extra_info(self, _: str) -> None:
        return None

    def is_closing(self) -> bool:
        return bool(self.ends)

    def close(self) -> None:
        self.ends.append("closed")

    def abort(self) -> None:
        self.ends.append("aborted")


async def connected(transport: Any) -> Connection:
    made = Connection(uvicorn.Config(Starlette(), lifespan="off", log_config=None), ServerState(), {})
    made.connection_made(transport)
    return made


def test_who_takes_an_answer_slowly_has_the_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "TAKEN_IN", 0.0)

    async def story() -> None:
        transport = PaperTransport(100 * connections.LEAST_TAKEN, pace=connections.LEAST_TAKEN)
        looked = await connected(transport)
        looked.pause_writing()
        await until(lambda: transport.left < 0)
        assert transport.ends == []
        transport.pace -= 1
        await until(lambda: transport.ends)
        assert transport.ends == ["aborted"]
        looked.connection_lost(None)

    run(story())


def test_the_last_of_an_answer_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "TAKEN_IN", 0.0)

    async def story() -> None:
        # Given too little left for anybody to be told that it is not taken.
        transport = PaperTransport(1000)
        answered = await connected(transport)
        answered.timeout_keep_alive_handler()
        await until(lambda: len(transport.ends) > 1)
        assert transport.ends == ["closed", "aborted"]
        answered.connection_lost(None)

    run(story())


def test_whoever_is_one_too_many_is_told_to_come_back(
    monkeypatch: pytest.MonkeyPatch, there: list[Connection]
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 2)

    async def story() -> None:
        async with served() as port:
            others = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
            await until(lambda: len(there) == 2)
            assert b" 503 " in await heard(port)
            for _, writer in others:
                writer.close()
            await until(lambda: not there)
            assert b" 200 " in await heard(port, GET + b"Connection: close\r\n\r\n")

    run(story())


def test_files_are_left_for_the_domain_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for files, expected in ((1024, 512), (1_000_000, connections.MOST)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert connections.most_connections() == expected


def test_strangers_do_not_write_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with served() as port:
            assert b" 400 " in await heard(port, b"\x16\x03\x01 nonsense\r\n\r\n")
            upgrade = GET + b"Connection: upgrade, close\r\nUpgrade: websocket\r\n\r\n"
            assert b" 200 " in await heard(port, upgrade)

    with caplog.at_level(logging.INFO):
        run(story())
    assert not [each for each in caplog.records if each.name.startswith("uvicorn")]


def test_whoever_goes_away_with_requests_that_wait_is_no_mistake_of_ours(
    caplog: pytest.LogCaptureFixture, there: list[Connection]
) -> None:
    async def story() -> None:
        async with served() as port:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
            await until(lambda: there and there[0].flow.write_paused)
            answering = there[0].tasks
            writer.transport.abort()
            await until(lambda: not there and not answering)

    # As the domain's processes have it; asyncio's own loop does not mind who writes after the end.
    uvloop.run(story())
    assert not caplog.records
