"""Asking a panel without a socket: requests go to its application as a server would hand them over."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.panel.application import TABLES, application
from penstock.panel.panel import Panel
from penstock.server.embedded import Embedded
from penstock.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.types import ASGIApp

    from penstock.clock import Clock
    from penstock.panel.own import Resources

GUEST = {"authorization": "Basic " + b64encode(b"guest:guest").decode()}


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    def header(self, name: str) -> str:
        return ", ".join(value for each, value in self.headers if each == name)

    @property
    def cookies(self) -> dict[str, str]:
        """Name → value, of those that are to be kept."""
        said = [
            value.partition(";")[0].partition("=") for name, value in self.headers if name == "set-cookie"
        ]
        return {name: value for name, _, value in said}


@dataclass
class Asker:
    """Somebody in front of a panel."""

    panel: Panel
    app: ASGIApp
    #: Sent with everything.
    headers: Mapping[str, str]
    scheme: str = "http"
    address: str = "127.0.0.1"

    async def ask(
        self, verb: str, target: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        path, _, query = target.partition("?")
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        told = {"host": "panel", **self.headers, **(headers or {})}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": verb,
            "scheme": self.scheme,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in told.items()],
            "client": (self.address, 50_000),
            "server": ("panel", 15672),
        }
        return await _call(self.app, scope, sent)

    async def get(self, target: str, headers: Mapping[str, str] | None = None) -> Answer:
        return await self.ask("GET", target, headers=headers)

    async def post(self, target: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        return await self.ask("POST", target, body, headers)


async def _call(app: ASGIApp, scope: dict[str, Any], body: bytes) -> Answer:
    came = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        return came.pop() if came else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
    return Answer(sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent[1:]))


@asynccontextmanager
async def opened(
    *, clock: Clock | None = None, resources: Resources | None = None, **settings: Any
) -> AsyncIterator[Asker]:
    """A panel before a broker of its own; who asks is guest."""
    embedded = await Embedded.start(Settings(amqp=(), **settings), clock=clock or VirtualClock(1000.0))
    panel = Panel(embedded, TABLES, resources)
    try:
        yield Asker(panel, application(panel), GUEST)
    finally:
        await panel.close()
        await embedded.close()
