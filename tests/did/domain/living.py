"""A domain that is open and answers over HTTP, on a broker of the test's own."""

from __future__ import annotations

import asyncio
import http.client
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from penstock.did.domain import WEB, WORKER, WRITER, Domain
from penstock.did.web import WebServer, listen
from penstock.messaging.embedded import EmbeddedBroker
from tests.did.domain.helpers import places_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from penstock.messaging.port import Broker


@asynccontextmanager
async def embedded() -> AsyncIterator[Broker]:
    """A broker in this process."""
    broker = await EmbeddedBroker.start()
    try:
        yield broker
    finally:
        await broker.close()


@asynccontextmanager
async def living(
    folder: Path,
    broker: Broker,
    word: str = "orb",
    *,
    roles: Iterable[str] = (WEB, WORKER, WRITER),
    **given: Any,
) -> AsyncIterator[Domain]:
    """The domain, served where its URL leads."""
    bound = listen("127.0.0.1", 0)
    port = bound.getsockname()[1]
    places = places_in(folder, word, base=f"http://127.0.0.1:{port}", **given)
    async with AsyncExitStack() as opened:
        opened.callback(bound.close)
        domain = await opened.enter_async_context(Domain(places, roles=roles, broker=broker))
        server = WebServer(domain.site, bound)
        opened.push_async_callback(server.stop)
        await server.start()
        yield domain


async def ask(domain: Domain, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """Ask a domain over HTTP."""
    return await asyncio.to_thread(_ask, domain.places.host, method, path, body)


def _ask(host: str, method: str, path: str, body: bytes) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, timeout=30)
    try:
        connection.request(method, path, body=body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
