"""The ASGI application of a panel: all parts' routes joined, requests turned into visits.

Paths are taken apart before they are decoded, since a virtual host is mostly called "/" and written %2F;
Starlette's own routing would lose the difference.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount

from penstock.errors import PenstockError
from penstock.panel import accounts, metrics, openapi, own, site
from penstock.panel.accounts import Guarding, announce, conclude
from penstock.panel.api import routes as api
from penstock.panel.bodies import convert, read_body
from penstock.panel.entering import demand_own_page, peer_of, stranger
from penstock.panel.live import SOCKETS
from penstock.panel.replies import OURS, ApiFault, Reply, fault_of, refusal
from penstock.panel.routes import PUBLIC
from penstock.panel.visit import NOBODY, Visit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.routing import BaseRoute
    from starlette.types import Receive, Scope, Send

    from penstock.panel.entering import Door
    from penstock.panel.panel import Panel
    from penstock.panel.routes import Table
    from penstock.server.users import User

__all__ = ["TABLES", "application", "parts"]

log = logging.getLogger(__name__)

#: The routes of all parts.
TABLES: Final[tuple[Table, ...]] = (
    api.ROUTES,
    own.ROUTES,
    accounts.ROUTES,
    metrics.ROUTES,
    openapi.ROUTES,
    site.ROUTES,
)


def application(
    panel: Panel,
    *,
    doors: Sequence[Door] | None = None,
    sockets: Sequence[BaseRoute] = SOCKETS,
    middleware: Sequence[Middleware] = (),
) -> Starlette:
    """The application; any ASGI server runs it.

    Args:
        doors: how a request may show whose it is; the first that knows says it.
        sockets: WebSocket routes, which are not visits.
    """
    reception = Reception(panel, doors or panel.doors)
    guarding = Middleware(Guarding, accounts=panel.accounts)
    return Starlette(routes=[*sockets, Mount("/", app=reception)], middleware=[guarding, *middleware])


class Reception:
    """Takes requests, lets visits be made of them, and hands out what they are answered with."""

    def __init__(self, panel: Panel, doors: Sequence[Door]) -> None:
        self._panel = panel
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            reply = await self._reply(request)
        except PenstockError as error:
            fault = fault_of(error)
            if fault is not error and fault.status >= OURS:
                log.warning("%s %r: %s: %s", request.method, request.url.path, type(error).__name__, error)
            reply = refusal(fault)
        except Exception:
            # Our own mistake, never the client's: it must not take the others down.
            log.exception("internal error in %s %r", request.method, request.url.path)
            reply = refusal(ApiFault(500, "internal error; the broker's log says more"))
        await _response(reply)(scope, receive, send)

    async def _reply(self, request: Request) -> Reply:
        """What a request is answered with: who asks is known before what is asked is read.

        Raises:
            PenstockError: it is refused.
        """
        demand_own_page(request)
        panel, path = self._panel, parts(request.scope)
        if request.method == "OPTIONS":
            # Load balancers ask so whether somebody is there; other sites' pages are not let in (no CORS).
            return Reply(headers={"Allow": ", ".join([*panel.routes.verbs(path), "OPTIONS"])})
        route, names = panel.routes.find(request.method, path)
        user = request.scope["user"] = await self._user(request)
        if user is NOBODY and route.tag != PUBLIC:
            raise stranger("say who you are: user and password, as HTTP's Basic authentication has it")
        said: dict[str, Any] = {
            "verb": request.method,
            "path": path,
            "query": request.query_params,
            "headers": request.headers,
            "peer": peer_of(request),
        }
        Visit(panel=panel, user=user, **said).demand(route.tag)
        body = convert(await read_body(request, route.body_most), route)
        await announce(panel.accounts, request, body)
        panel.refresh()
        reply = await route.handler(Visit(panel=panel, user=user, body=body, **said), **names)
        conclude(request, reply)
        return reply

    async def _user(self, request: Request) -> User:
        for door in self._doors:
            user = await door.admit(self._panel, request)
            if user is not None:
                return user
        return NOBODY


def parts(scope: Scope) -> tuple[str, ...]:
    """The parts of a request's path, decoded one by one."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    found = tuple(unquote(part) for part in raw.decode("ascii", "replace").split("/")[1:])
    # As RabbitMQ has it, a slash at the end means nothing.
    return found[:-1] if len(found) > 1 and not found[-1] else found


def _response(reply: Reply) -> Response:
    headers = {"Content-Type": reply.kind, **reply.headers}
    if reply.stream is not None:
        return StreamingResponse(reply.stream, reply.status, headers)
    response = Response(reply.body, reply.status, headers)
    for cookie in reply.cookies:
        response.headers.append("set-cookie", cookie)
    return response
