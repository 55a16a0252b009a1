"""Servers for the beanstalk client: a whole broker by a clock that stands, and one that says its lines."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from penstock.client import ClientSettings
from penstock.client.beanstalk import BeanstalkClient, OutgoingJob, connect
from penstock.clock import VirtualClock
from penstock.server.embedded import Embedded
from penstock.wire.beanstalk import document, replies

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 60.0
#: No wait is left to chance.
SETTINGS = ClientSettings(
    backoff_initial=1, backoff_max=4, backoff_jitter=0, close_timeout=2.0, connect_max_retries=0
)
#: What a client asks of every server.
STATS = replies.chunk(document({"version": "1.13", "id": b"abc", "max-job-size": 65_535}))


class World:
    """A Penstock broker in this process, and cables to its beanstalk front that can be cut."""

    def __init__(self, broker: Embedded, clock: VirtualClock) -> None:
        self.broker = broker
        self.clock = clock
        self.cables: list[asyncio.Transport] = []

    async def dial(self, protocol: Callable[[], Any]) -> tuple[asyncio.Transport, Any]:
        transport, made = await self.broker.dial_beanstalk(protocol)
        self.cables.append(transport)
        return transport, made

    def cut(self) -> None:
        """Cut every cable there is now."""
        for cable in self.cables:
            cable.abort()
        self.cables.clear()

    async def client(self) -> BeanstalkClient:
        return await connect("beanstalk://here", dial=self.dial, settings=SETTINGS, clock=self.clock)

    async def until(self, condition: Callable[[], object], *, step: float = 0.0) -> None:
        """Wait until something is so, while so much time passes with each look."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                await asyncio.sleep(0.001)
                self.clock.advance(step)

    async def pass_by(self, seconds: float, step: float = 0.1) -> None:
        """Let time pass, in steps that everybody hears of."""
        for _ in range(round(seconds / step)):
            self.clock.advance(step)
            await settle()


async def settle() -> None:
    """Let everything be said and heard."""
    for _ in range(20):
        await asyncio.sleep(0)
    await asyncio.sleep(0.002)


@asynccontextmanager
async def world() -> AsyncIterator[tuple[World, BeanstalkClient]]:
    """A world, and a client of it."""
    clock = VirtualClock(1_000_000.0)
    broker = await Embedded.start(clock=clock)
    made = World(broker, clock)
    client = await made.client()
    try:
        yield made, client
    finally:
        await client.close(0)
        await broker.close()


def jobs(tube: str, count: int, **terms: Any) -> list[OutgoingJob]:
    """So many jobs, which say their numbers."""
    return [OutgoingJob(tube, b"%d" % number, **terms) for number in range(count)]


@asynccontextmanager
async def scripted(said: Mapping[str, bytes]) -> AsyncIterator[str]:
    """The URL of a server that answers to the first word of each line as it is told, or not at all."""
    served: set[asyncio.Task[Any]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        served.add(task)
        with suppress(ConnectionError):
            await talk(reader, writer)
        writer.close()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            word = line.decode().split()[0] if line.strip() else ""
            if word == "put":
                await reader.readline()
            writer.write(said.get(word, b""))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"beanstalk://127.0.0.1:{port}"
        if served:
            await asyncio.wait(served, timeout=PATIENCE_S)
