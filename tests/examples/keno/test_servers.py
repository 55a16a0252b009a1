"""The same code on RabbitMQ and PostgreSQL: nothing changes but two URLs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from examples.keno.empires import found_empire
from examples.keno.game import Game
from examples.keno.live import open_gateway
from examples.keno.processes import Order
from examples.keno.universe import make_universe
from examples.keno.worker import open_worker
from penstock.messaging import open_amqp_broker
from penstock.workers.gateway import SessionTokens
from tests.examples.keno.player import playing
from tests.examples.keno.town import PASSWORD
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from penstock.messaging.amqp import AmqpBroker

SECRET = "a secret that is long enough for anybody"  # noqa: S105  of one test


def test_the_game_runs_on_rabbitmq_and_postgresql(rabbitmq_url: str, postgresql_url: str) -> None:
    async def story(opened: AsyncExitStack) -> None:
        async def broker() -> AmqpBroker:
            # A virtual host of its own: these queues have the names that Keno Antigen gives them.
            found = await open_amqp_broker(f"{rabbitmq_url.rstrip('/')}/elsewhere")
            opened.push_async_callback(found.close)
            return found

        game = Game(postgresql_url.replace("+psycopg", ""), pace=10)
        opened.callback(game.close)
        game.create()
        with game.begin() as connection:
            make_universe(connection)
        order = Order(address=f"{HOST}:{free_port()}", name="gateway-1", secret=SECRET)
        await open_worker(order, game, await broker(), opened)
        await open_gateway(order, game, await broker(), opened)
        empire = found_empire(game, "Lacuna", PASSWORD)
        token = SessionTokens(SECRET.encode()).issue(empire.empire_id)
        player = await opened.enter_async_context(playing([f"ws://{order.address}/ws"], token))
        [planet] = (await player.ask("/empire/status", {}))["content"]["planets"]
        _, mine, _ = planet["buildings"]
        await player.ask("/building/upgrade", {"building_id": mine["building_id"]})
        await player.ask("/building/work", {"building_id": mine["building_id"]})
        fleet = await player.ask("/fleet/construct", {"body_id": planet["body_id"], "ships": 1})
        corner = {"sector": 0, "left": planet["x"] // 50 * 50, "bottom": planet["y"] // 50 * 50}
        assert (await player.ask("/starmap/getMapChunk", corner))["content"]["stars"]
        await player.hears("/building/upgraded", building_id=mine["building_id"], level=2)
        await player.hears("/building/worked", building_id=mine["building_id"])
        await player.hears("/fleet/constructed", fleet_id=fleet["content"]["fleet_id"])

    async def whole() -> None:
        async with AsyncExitStack() as opened:
            await story(opened)

    asyncio.run(whole())
