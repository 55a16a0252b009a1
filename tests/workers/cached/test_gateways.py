"""Clients of several gateways ask for what is not there yet: it is computed once, and all of them get it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.workers import Job, Routes, Worker
from penstock.workers.cached import Cached, DatabaseShelf
from penstock.workers.gateway import ClientRoute
from tests.client.support import until
from tests.workers.gateway.support import SOON, gateway_on, opened_broker, policy, talk

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.gateway import Gateway
    from tests.workers.gateway.support import Talk

ROUTE = "/starmap/getMapChunk"
CLIENTS = 15


class Chunk(msgspec.Struct):
    left: int


class System:
    """Gateways, each with a shelf of its own on one database, and a worker that waits for a clear sky."""

    def __init__(self, database: str, opened: AsyncExitStack) -> None:
        self._database = database
        self._opened = opened
        self.computed: list[int] = []
        self.is_clear = asyncio.Event()

    def _cached(self) -> Cached[Chunk]:
        shelf = DatabaseShelf(self._database)
        self._opened.callback(shelf.close)
        return Cached("starmap", Chunk, queue="bg", route=ROUTE, key=lambda each: str(each.left), shelf=shelf)

    async def gateway(self, broker: AmqpBroker, name: str) -> tuple[Gateway, AsyncExitStack]:
        """One more; what ends it."""
        opened = await self._opened.enter_async_context(AsyncExitStack())
        # As in a process of its own.
        cache = await opened.enter_async_context(self._cached().on(broker))
        decided = policy(routes={ROUTE: ClientRoute(answer=cache.answer, waits=True)})
        return await opened.enter_async_context(gateway_on(broker, name, decided)), opened

    def worker(self, broker: AmqpBroker) -> Worker:
        routes = Routes("bg")

        @routes.route(ROUTE)
        @self._cached().fills
        async def get_map_chunk(job: Job[Chunk]) -> dict[str, int]:
            self.computed.append(job.content.left)
            await self.is_clear.wait()
            return {"stars": job.content.left}

        return Worker(routes, broker=broker)


async def ask(client: Talk, left: int = 50) -> None:
    await client.send(ROUTE, {"left": left}, msgId=str(left))


async def answer(client: Talk) -> tuple[int, Any]:
    reply = await client.next()
    return reply["status"], reply["content"]


def test_clients_of_all_gateways_share_one_computation_even_when_their_gateway_goes(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncExitStack() as opened, asyncio.timeout(SOON):
            system = System(f"sqlite:///{tmp_path / 'cache.db'}", opened)
            broker = await opened.enter_async_context(opened_broker())
            await opened.enter_async_context(system.worker(broker))
            (one, going), (other, _) = [await system.gateway(broker, name) for name in "ab"]
            # Given clients of both that wait for the same chunk
            lost = await opened.enter_async_context(talk(one.port, code="lost"))
            await ask(lost)
            await until(lambda: system.computed)
            clients = [
                await opened.enter_async_context(talk(other.port, user, f"c{user}"))
                for user in range(CLIENTS)
            ]
            for client in clients:
                await ask(client)
            # When one of the gateways goes, and its client comes to the other and asks again
            await going.aclose()
            again = await opened.enter_async_context(talk(other.port, code="lost"))
            await ask(again)
            system.is_clear.set()
            # Then all of them get it, and it was computed once
            found = await asyncio.gather(*(answer(client) for client in (*clients, again)))
            assert found == [(200, {"stars": 50})] * (CLIENTS + 1)
            await ask(again)
            assert await answer(again) == (200, {"stars": 50})
            assert system.computed == [50]

    asyncio.run(story())
