"""What the tests of caches share: a sky that chunks are computed from, processes that ask, and workers."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from penstock import testing
from penstock.errors import InvalidMessage, PersistentError, RequestRefused
from penstock.messaging import Backoff
from penstock.workers import Job, Routes, Worker
from penstock.workers.cached import Cached
from tests.workers.gateway.support import SOON

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.testing import ControlledBroker
    from penstock.workers.cached import Cache, Shelf

QUEUE, ROUTE = "bg_starmap", "/starmap/getMapChunk"


class Chunk(msgspec.Struct, frozen=True):
    left: int


def key_of(chunk: Chunk) -> str:
    if chunk.left % 50:
        raise InvalidMessage(f"{chunk.left} is off its boundary")
    return str(chunk.left)


def chunks(shelf: Shelf | None = None, **changed: Any) -> Cached[Chunk]:
    """As each process declares it."""
    options: dict[str, Any] = {"queue": QUEUE, "route": ROUTE, "key": key_of, "shelf": shelf}
    return Cached(**{"name": "starmap", "content": Chunk, **options, **changed})


class Sky:
    """What a worker computes chunks from, and how often it did."""

    def __init__(self) -> None:
        self.computed: list[int] = []
        self.stars = count(1)
        self.is_clear = asyncio.Event()
        self.is_clear.set()
        self.begun = asyncio.Event()

    def routes(self, cached: Cached[Chunk]) -> Routes:
        made = Routes(QUEUE)

        @made.route(ROUTE, retry=Backoff(attempts=1))
        @cached.fills
        async def get_map_chunk(job: Job[Chunk]) -> dict[str, int]:
            self.computed.append(job.content.left)
            star = next(self.stars)
            self.begun.set()
            await self.is_clear.wait()
            if job.content.left < 0:
                raise PersistentError("there is nothing on the left")
            if job.content.left > 1000:
                raise RequestRefused("beyond the end of the sky", status=404)
            return {"star": star}

        return made


@asynccontextmanager
async def system(
    sky: Sky, *shelves: Shelf | None, workers: int = 1
) -> AsyncIterator[tuple[ControlledBroker, list[Cache[Chunk]]]]:
    """A process that asks for each shelf, and workers, each with a connection of its own."""
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(testing.broker())
        caches = []
        for shelf in shelves:
            cached = chunks(shelf)
            caches.append(await stack.enter_async_context(cached.on(await broker.port())))
        for number in range(workers):
            worker = Worker(sky.routes(chunks(shelves[number % len(shelves)])), broker=await broker.port())
            await stack.enter_async_context(worker)
        async with asyncio.timeout(SOON):
            yield broker, caches
