"""How stories of the client are told: coroutines as tests, patience, and a network that can be cut."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Self

from penstock.client import ClientSettings, Outgoing, connect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from penstock.client import Client, Delivery

P = ParamSpec("P")

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 60.0

#: A client that does not let a test wait.
HASTY = ClientSettings(backoff_initial=0.02, backoff_max=0.2, close_timeout=2.0, heartbeat=10)


def story(told: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A test that is a coroutine, on a loop of its own."""

    @wraps(told)
    def test(*arguments: P.args, **fixtures: P.kwargs) -> None:
        asyncio.run(told(*arguments, **fixtures))

    return test


async def until(condition: Callable[[], object], what: str = "it") -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        try:
            while not condition():  # noqa: ASYNC110 (anything may be waited for)
                await asyncio.sleep(0.005)
        except asyncio.CancelledError as exc:
            exc.add_note(f"waited for {what}")
            raise


@asynccontextmanager
async def connected(url: str, settings: ClientSettings = HASTY, **more: Any) -> AsyncIterator[Client]:
    """A client, closed afterwards."""
    client = await connect(url, settings=settings, **more)
    try:
        yield client
    finally:
        await client.close()


def to(queue: str, body: bytes = b"hello") -> Outgoing:
    """A message for one queue."""
    return Outgoing("", queue, body)


class Inbox:
    """A receiver that keeps what it gets, and acknowledges it unless told otherwise."""

    def __init__(self, *, acks: bool = True) -> None:
        self.acks = acks
        self.deliveries: list[Delivery] = []
        self.batches: list[int] = []

    def __call__(self, deliveries: list[Delivery]) -> None:
        self.deliveries += deliveries
        self.batches.append(len(deliveries))
        if self.acks:
            for delivery in deliveries:
                delivery.ack()

    @property
    def bodies(self) -> list[bytes]:
        return [delivery.body for delivery in self.deliveries]


class Proxy:
    """A network between client and broker: it can be cut, silenced, slowed, and closed to newcomers."""

    def __init__(self, port: int) -> None:
        self._broker = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        #: Bytes pass; while it is clear they wait.
        self.open = asyncio.Event()
        self.open.set()
        self.delay = 0.0
        #: Whether newcomers are hung up on.
        self.refuses = False
        self.accepted = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"amqp://guest:guest@127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"

    def cut(self) -> None:
        """Every connection breaks."""
        for writer in self._writers:
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self._writers.add(writer)
        if self.refuses:
            writer.transport.abort()
            return
        with suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._broker)
            self._writers.add(far_writer)
            for one, other in ((reader, far_writer), (far_reader, writer)):
                task = asyncio.get_running_loop().create_task(self._pass_on(one, other))
                self._tasks.add(task)
            return
        writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await asyncio.sleep(self.delay)
                await self.open.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
