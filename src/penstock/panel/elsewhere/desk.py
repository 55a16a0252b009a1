"""ElsewhereDesk: the ASGI application of a panel whose broker is elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from penstock.errors import PenstockError
from penstock.panel import site
from penstock.panel.accounts.headers import headers_for
from penstock.panel.application import parts
from penstock.panel.bodies import read_body
from penstock.panel.elsewhere.handing import hand_on
from penstock.panel.entering import demand_own_page
from penstock.panel.replies import ApiFault, Reply, fault_of, refusal
from penstock.panel.routes import Routes
from penstock.panel.visit import Visit
from penstock.server.users import TAGS, User

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

    from penstock.messaging.topology.management import Management

__all__ = ["ElsewhereDesk"]

#: Bytes of a request's body: definitions of a large broker fit.
BODY_MOST: Final = 16 * 1024 * 1024
CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="the broker behind this panel", charset="UTF-8"'}
OK: Final = 200
UNAUTHORISED: Final = 401


class ElsewhereDesk:
    """Takes requests; pages are made here, and questions are handed on."""

    def __init__(self, place: Management) -> None:
        self._place = place
        self._pages = Routes([site.ROUTES])

    def __repr__(self) -> str:
        return f"<ElsewhereDesk before {self._place}>"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # The page then asks every second by itself.
            await send({"type": "websocket.close", "code": 1000})
            return
        request = Request(scope, receive)
        try:
            reply = await self._reply(request)
        except PenstockError as error:
            reply = refusal(fault_of(error))
        path, is_tls = request.url.path, request.url.scheme == "https"
        headers = {"Content-Type": reply.kind, **reply.headers, **dict(headers_for(path, is_tls=is_tls))}
        await Response(reply.body, reply.status, headers)(scope, receive, send)

    async def _reply(self, request: Request) -> Reply:
        demand_own_page(request)
        path = parts(request.scope)
        if path[0] == "api":
            return await self._handed_on(request, path)
        if path[0] in {"login", "logout"}:
            # A browser has its own way to ask for a password, and to forget one.
            return _challenge() if path[0] == "logout" else Reply(status=303, headers={"Location": "/"})
        route, names = self._pages.find(request.method, path)
        user = User(name="anybody") if path[0] == "static" else await self._user(request)
        if user is None:
            return _challenge()
        # Pages ask their visit for the user and what was asked, and for nothing of a broker.
        panel: Any = None
        visit = Visit(panel=panel, user=user, path=path, query=request.query_params, headers=request.headers)
        return await route.handler(visit, **names)

    async def _handed_on(self, request: Request, path: tuple[str, ...]) -> Reply:
        if path[1:2] == ("penstock",):
            raise ApiFault(
                404, "the broker behind this panel cannot tell that: it is no Penstock, or elsewhere"
            )
        raw = request.scope.get("raw_path") or request.url.path.encode()
        asked = raw.decode("ascii") + (f"?{request.url.query}" if request.url.query else "")
        body = await read_body(request, BODY_MOST)
        return await hand_on(self._place, request.method, asked, request.headers, body)

    async def _user(self, request: Request) -> User | None:
        """Who asks, as the broker knows them; None if it does not."""
        if "authorization" not in request.headers:
            return None
        reply = await hand_on(self._place, "GET", "/api/whoami", request.headers, b"")
        if reply.status != OK:
            return None
        told: Mapping[str, Any] = msgspec.json.decode(reply.body)
        tags = told.get("tags") or []
        words = tags.split(",") if isinstance(tags, str) else tags
        return User(name=str(told["name"]), tags=frozenset(words) & TAGS)


def _challenge() -> Reply:
    told = refusal(ApiFault(UNAUTHORISED, "say who you are, as the broker knows you"))
    return Reply(status=UNAUTHORISED, kind=told.kind, body=told.body, headers=CHALLENGE)
