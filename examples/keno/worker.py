"""A worker of the game: does jobs, puts those whose time has come, relays what is to be told, and tidies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from examples.keno.buildings import Buildings
from examples.keno.captchas import Captchas
from examples.keno.fleets import Fleets
from examples.keno.star_map import StarMap
from penstock.outbox import Housekeeping, Relay, RelaySettings
from penstock.workers import Routes, Worker
from penstock.workers.fan.requests import pubsub_routes

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from examples.keno.game import Game
    from examples.keno.processes import Order
    from penstock.messaging.amqp import AmqpBroker

__all__ = ["open_worker", "routes_of"]

#: Jobs of each queue at a time: each has a thread, and a connection to the database.
CONCURRENCY: Final = 3
#: Players wait for what is told: another relay takes over soon after one was killed.
RELAYING: Final = RelaySettings(poll_interval=0.1, publish_timeout=2.0, lease=5.0, backoff_max=2.0)
#: Seconds for which what was told and what was asked is remembered: no client asks again after a day.
KEPT: Final = 86_400.0


def routes_of(game: Game, star_map: StarMap) -> Routes:
    """All that a general worker does; one that is specialised has some of these."""
    routes = Routes()
    routes.include(
        Buildings(game).routes,
        Fleets(game).routes,
        Captchas(game).routes,
        star_map.routes,
        pubsub_routes(),
    )
    return routes


async def open_worker(_order: Order, game: Game, broker: AmqpBroker, opened: AsyncExitStack) -> None:
    """Begin to work; `opened` ends it."""
    star_map = StarMap(game)
    opened.callback(star_map.close)
    routes = routes_of(game, star_map)
    worker = Worker(routes, broker=broker, schedules=game.schedules, concurrency=CONCURRENCY)
    await opened.enter_async_context(worker)
    await opened.enter_async_context(Relay(game.outbox, game.engine, broker, settings=RELAYING))
    housekeeping = Housekeeping(
        engine=game.engine,
        outbox=game.outbox,
        keep_relayed=KEPT,
        inbox=game.inbox,
        keep_handled=KEPT,
        # Of a request that is a dead letter the inbox knows nothing: it was rolled back.
        oldest_dead_letter=lambda: None,
    )
    await housekeeping.start(broker)
    opened.push_async_callback(housekeeping.stop)
