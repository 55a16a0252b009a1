"""The processes that a game is made of, beside its broker: workers, gateways, the lobby.

    python -m examples.keno.processes KIND

is started by the game's own command, and by nobody else. What it is to do stands in the environment, since
it holds secrets and a command line is everybody's to read. Each ends with its standard input, or on TERM.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

import msgspec
import uvloop

from examples.keno.game import Game
from penstock.cli.errors import explained
from penstock.cli.logs import set_up_logs
from penstock.cli.supervising import READY, Program, end_with_parent
from penstock.messaging import open_amqp_broker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from penstock.messaging.amqp import AmqpBroker

__all__ = ["GATEWAY", "LOBBY", "WORKER", "Order", "program"]

WORKER: Final = "worker"
GATEWAY: Final = "gateway"
LOBBY: Final = "lobby"

#: What the process is to do, as JSON.
ORDER: Final = "KENO_ORDER"


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a process is to do; each kind has a use for some of it."""

    database: str = ""
    pace: float = 1.0
    mq_url: str = ""
    #: What session tokens are signed with.
    secret: str = ""
    #: Where it listens.
    address: str = ""
    #: What a gateway is called, and whose pages may connect.
    name: str = ""
    origins: tuple[str, ...] = ()
    #: What the lobby tells browsers.
    gateways: tuple[str, ...] = ()


def program(kind: str, order: Order, *, name: str, log: Path) -> Program:
    """The program that does that."""
    return Program(
        name=name,
        arguments=[sys.executable, "-m", "examples.keno.processes", kind],
        log=log,
        environment={ORDER: msgspec.json.encode(order).decode()},
    )


# Each kind loads what it needs, and no more: they start together, and on few cores wait for each other


async def _open_worker(order: Order, game: Game, broker: AmqpBroker, opened: AsyncExitStack) -> None:
    from examples.keno.worker import open_worker  # noqa: PLC0415 (see above)

    await open_worker(order, game, broker, opened)


async def _open_gateway(order: Order, game: Game, broker: AmqpBroker, opened: AsyncExitStack) -> None:
    from examples.keno.live import open_gateway  # noqa: PLC0415 (see above)

    await open_gateway(order, game, broker, opened)


async def _open_lobby(order: Order, game: Game, broker: AmqpBroker, opened: AsyncExitStack) -> None:
    from examples.keno.web import open_lobby  # noqa: PLC0415 (see above)

    await open_lobby(order, game, broker, opened)


if TYPE_CHECKING:
    Open = Callable[[Order, Game, AmqpBroker, AsyncExitStack], Awaitable[None]]

KINDS: Final[Mapping[str, Open]] = {WORKER: _open_worker, GATEWAY: _open_gateway, LOBBY: _open_lobby}


def main(kind: str) -> None:
    """Be a process of that kind, until asked to stop."""
    order = msgspec.json.decode(os.environ.pop(ORDER), type=Order)
    end_with_parent()
    with explained():
        set_up_logs()
        uvloop.run(_run(order, KINDS[kind]))


async def _run(order: Order, begin: Open) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as opened:
        game = Game(order.database, pace=order.pace)
        opened.callback(game.close)
        broker = await open_amqp_broker(order.mq_url)
        opened.push_async_callback(broker.close)
        await begin(order, game, broker, opened)
        print(READY, flush=True)  # noqa: T201  for whoever has started it
        await stop.wait()


if __name__ == "__main__":
    main(sys.argv[1])
