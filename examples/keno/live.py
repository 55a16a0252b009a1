"""The gateways of the game: what clients may ask for, and which rooms they may join."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from examples.keno import fleets, tasks
from examples.keno.empires import status_of
from examples.keno.game import BUILDING_CHANNEL, FLEET_CHANNEL, STARMAP_CHANNEL
from examples.keno.messages import Building, Construction, Fleet, Flight
from examples.keno.planet_statistics import ROUTE as STATISTICS
from examples.keno.planet_statistics import STATISTICS_CHANNEL, statistics_of
from examples.keno.rules import SECTORS
from examples.keno.star_map import GET, StarMap, room_of
from penstock.errors import RequestRefused
from penstock.settings.address import Address
from penstock.workers.gateway import ClientRoute, Gateway, GatewaySettings, Policy, SessionTokens, open_rooms

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AsyncExitStack

    from examples.keno.game import Game
    from examples.keno.messages import MapChunk
    from examples.keno.processes import Order
    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.cached import Cache
    from penstock.workers.form import UserId
    from penstock.workers.gateway import Request, Session
    from penstock.workers.gateway.policy import Answer

__all__ = ["CHANNELS", "open_gateway", "policy_of"]

#: What gateways hear besides what is sent to clients.
CHANNELS: Final = (BUILDING_CHANNEL, FLEET_CHANNEL, STARMAP_CHANNEL, STATISTICS_CHANNEL)
#: What everybody may join.
ROOMS: Final = tuple(map(room_of, SECTORS))

#: What becomes a job: the queue, and what its content must be.
ASKED: Final = {
    "/building/upgrade": (tasks.QUEUE, Building),
    "/building/cancelUpgrade": (tasks.QUEUE, Building),
    "/building/hastenUpgrade": (tasks.QUEUE, Building),
    "/building/work": (tasks.QUEUE, Building),
    "/fleet/construct": (fleets.QUEUE, Construction),
    "/fleet/send": (fleets.QUEUE, Flight),
    "/fleet/recall": (fleets.QUEUE, Fleet),
}


async def open_gateway(order: Order, game: Game, broker: AmqpBroker, opened: AsyncExitStack) -> None:
    """Begin to hold the connections of clients; `opened` ends it."""
    star_map = StarMap(game)
    opened.callback(star_map.close)
    chunks = await opened.enter_async_context(star_map.chunks.on(broker))
    policy = policy_of(game, SessionTokens(order.secret.encode()), chunks)
    settings = GatewaySettings(
        address=Address.read(order.address),
        name=order.name,
        origins=frozenset(order.origins),
        channels=CHANNELS,
    )
    await opened.enter_async_context(Gateway(broker, policy, settings))


def policy_of(game: Game, tokens: SessionTokens, chunks: Cache[MapChunk]) -> Policy:
    """Who comes in, and what they may ask for."""
    routes = {
        route: ClientRoute(queue=queue, answer=_checked(content)) for route, (queue, content) in ASKED.items()
    }
    routes["/empire/status"] = ClientRoute(answer=_read(game, status_of))
    routes[STATISTICS] = ClientRoute(answer=_read(game, _statistics))
    # From the cache at once; what is not there, a worker finds.
    routes[GET] = ClientRoute(answer=chunks.answer, waits=True)
    return Policy(check_token=tokens, routes=routes, may_join=open_rooms(ROOMS))


def _read(game: Game, what: Callable[[Game, UserId], Any]) -> Answer:
    """Answers with what is read about the empire: a few rows by their keys, no worker is needed for that."""

    async def answer(session: Session, _request: Request) -> Any:
        return await asyncio.to_thread(what, game, session.user_id)

    return answer


def _statistics(game: Game, empire_id: UserId) -> dict[str, Any]:
    with game.read() as connection:
        return {"planets": statistics_of(connection, int(empire_id))}


def _checked(content: type[Any]) -> Answer:
    """Refuses what no worker could read; all else is the worker's business."""
    decode = msgspec.json.Decoder(content).decode

    def check(_session: Session, request: Request) -> None:
        try:
            decode(request.content)
        except (msgspec.DecodeError, UnicodeError) as exc:
            raise RequestRefused(f"{request.route} is not asked like that: {exc}", status=400) from exc

    return check
