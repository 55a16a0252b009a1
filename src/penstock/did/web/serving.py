"""Serving the application over HTTP with uvicorn, within the event loop that runs."""

from __future__ import annotations

import asyncio
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import uvicorn

from penstock.did.web.connections import Connection
from penstock.errors import CannotListen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

__all__ = ["WebServer", "listen"]

BACKLOG: Final = 2048
#: Seconds that requests have to end when the server stops.
GRACE: Final = 5


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound; port 0 is a free one.

    Raises:
        CannotListen: the address is taken, or none of this machine's.
    """
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError as exc:
        bound.close()
        raise CannotListen(f"{host}:{port} cannot be listened on: {exc}", setting="host_url") from exc
    return bound


class WebServer:
    """A server of one application. Signals are whoever started the program's business."""

    def __init__(self, application: ASGIApp, bound: socket.socket) -> None:
        self._socket = bound
        config = uvicorn.Config(
            application,
            backlog=BACKLOG,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            # Below that it tells of every request that is none: whoever sends them would write our log.
            log_level="error",
            access_log=False,
            server_header=False,
            # Nothing here depends on where a request came from.
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE,
        )
        self._server = _Server(config)
        self._serving: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        found: int = self._socket.getsockname()[1]
        return found

    async def start(self) -> None:
        """Take requests from now on.

        Raises:
            OSError: the socket cannot be used.
        """
        self._serving = asyncio.create_task(self._server.serve([self._socket]), name="web server")
        started = asyncio.create_task(self._server.is_started.wait())
        await asyncio.wait({started, self._serving}, return_when=asyncio.FIRST_COMPLETED)
        if not started.done():
            started.cancel()
            await self._serving

    async def stop(self) -> None:
        """Take no more, and end when those that were taken are answered."""
        serving, self._serving = self._serving, None
        if serving is not None:
            self._server.should_exit = True
            with suppress(asyncio.CancelledError):
                await serving
        self._socket.close()


class _Server(uvicorn.Server):
    """Tells when it has started, and leaves signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_started = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_started.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
