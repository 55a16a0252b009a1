"""Serving the panel over HTTP with uvicorn, within the event loop that the broker runs in."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import uvicorn

from penstock.panel.application import TABLES, application
from penstock.panel.hosts import OwnHosts
from penstock.panel.panel import Panel
from penstock.server.listening import BACKLOG, listen
from penstock.server.tls import server_context

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Awaitable, Callable, Iterator

    from starlette.types import ASGIApp

    from penstock.panel.own import Resources
    from penstock.server.embedded import Embedded
    from penstock.settings import Settings

__all__ = ["PanelServer", "open_panel"]

#: Seconds that requests have to end when the server stops.
GRACE: Final = 2


async def open_panel(embedded: Embedded, resources: Resources | None = None) -> PanelServer:
    """Serve a broker's panel where its settings say.

    Args:
        resources: what it shows beside the broker; closed with it.

    Raises:
        CannotListen, BadSetting: naming the setting to change; nothing is served.
    """
    settings = embedded.front.settings
    panel = Panel(embedded, TABLES, resources)
    server = PanelServer(application(panel), settings, panel.close)
    await server.start()
    panel.urls += server.urls
    return server


class PanelServer:
    """All listeners of one panel. Signals are whoever started the program's business."""

    def __init__(
        self, app: ASGIApp, settings: Settings, at_end: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """A server of an application, which is asked by the panel's own names alone.

        Args:
            at_end: called when nothing is served any more.
        """
        self._app = OwnHosts(app, settings)
        self._at_end = at_end
        self._settings = settings
        self._servers: list[_Server] = []
        #: Where it is to be found.
        self.urls: list[str] = []

    def __repr__(self) -> str:
        return f"<PanelServer {' '.join(self.urls)}>"

    async def start(self) -> None:
        """Take requests from now on.

        Raises:
            CannotListen, BadSetting: naming the setting to change; nothing is served.
        """
        settings = self._settings
        try:
            tls = server_context(settings) if settings.panel_tls else None
            for address in settings.panel:
                await self._listen("http", listen("panel", address), None)
            for address in settings.panel_tls:
                await self._listen("https", listen("panel_tls", address), tls)
        except BaseException:
            await self.close()
            raise

    async def _listen(self, scheme: str, sockets: list[socket.socket], tls: ssl.SSLContext | None) -> None:
        host, port = sockets[0].getsockname()[:2]
        self.urls.append(f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        server = _Server(_config(self._app, tls), sockets)
        self._servers.append(server)
        await server.begin()

    async def close(self) -> None:
        """Take no more, and end when those that were taken are answered."""
        servers, self._servers = self._servers, []
        await asyncio.gather(*(server.end() for server in servers))
        at_end, self._at_end = self._at_end, None
        if at_end is not None:
            await at_end()


def _config(app: ASGIApp, tls: ssl.SSLContext | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        backlog=BACKLOG,
        ws="websockets-sansio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        # Who asks is told from the socket: a header could be anybody's.
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        ssl_context_factory=None if tls is None else lambda _config, _default: tls,
    )


class _Server(uvicorn.Server):
    """Begins and ends in a loop that runs, and leaves signals alone."""

    def __init__(self, config: uvicorn.Config, bound: list[socket.socket]) -> None:
        super().__init__(config)
        self._bound = bound
        self._is_started = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        self._serving = asyncio.create_task(self.serve(self._bound), name="panel")
        started = asyncio.create_task(self._is_started.wait())
        await asyncio.wait({started, self._serving}, return_when=asyncio.FIRST_COMPLETED)
        if not started.done():
            started.cancel()
            await self._serving

    async def end(self) -> None:
        serving, self._serving = self._serving, None
        if serving is not None:
            self.should_exit = True
            with suppress(asyncio.CancelledError):
                await serving
        for each in self._bound:
            each.close()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._is_started.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
