"""The lobby's web server: uvicorn, within the event loop that runs."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn

from examples.keno.lobby import Lobby
from penstock.errors import CannotListen
from penstock.settings.address import Address
from penstock.workers import Jobs
from penstock.workers.gateway import SessionTokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AsyncExitStack
    from socket import socket

    from starlette.applications import Starlette

    from examples.keno.game import Game
    from examples.keno.processes import Order
    from penstock.messaging.amqp import AmqpBroker

__all__ = ["WebServer", "open_lobby"]

#: Seconds that requests have to end when it does.
GRACE: Final = 2


async def open_lobby(order: Order, game: Game, broker: AmqpBroker, opened: AsyncExitStack) -> None:
    """Begin to serve the page, and to let empires in; `opened` ends it."""
    jobs = await opened.enter_async_context(Jobs(broker))
    lobby = Lobby(game, SessionTokens(order.secret.encode()), jobs, order.gateways)
    server = WebServer(lobby.application, Address.read(order.address))
    await server.begin()
    opened.push_async_callback(server.end)


class WebServer(uvicorn.Server):
    """Serves from `begin` to `end`, and leaves signals alone."""

    def __init__(self, application: Starlette, address: Address) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                host=address.host,
                port=address.port,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._address = address
        self._has_begun = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Take requests from now on.

        Raises:
            CannotListen: the address is taken.
        """
        self._serving = serving = asyncio.create_task(self.serve())
        begun = asyncio.create_task(self._has_begun.wait())
        await asyncio.wait({begun, serving}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        if serving.done():
            raise CannotListen(f"{self._address} cannot be listened on", setting="port")

    async def end(self) -> None:
        """Take no more, and end when those that were taken are answered."""
        self.should_exit = True
        if self._serving is not None:
            await self._serving

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._has_begun.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
