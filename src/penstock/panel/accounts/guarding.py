"""Guarding: what is done around every request: headers that protect the browser, and the audit of changes.

A change is announced when it is known who asks and what for, right before it is made, and ends with its
answer. What is refused before that changes nothing, and has a line all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.requests import Request

from penstock.panel.accounts.about import asked_about, came_of
from penstock.panel.accounts.audit import Entry, outcome_of
from penstock.panel.accounts.door import LOGIN
from penstock.panel.accounts.headers import headers_for
from penstock.panel.entering import READING, peer_of
from penstock.panel.visit import NOBODY

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from penstock.panel.accounts.accounts import Accounts
    from penstock.panel.replies import Reply
    from penstock.server.users import User

__all__ = ["Guarding", "announce", "conclude"]

#: In the scope of a request: the entry that says that its change began.
BEGUN: Final = "penstock.begun"

#: What is asked with a body, and changes nothing.
ASKING: Final = "/api/penstock/explain/"


class Guarding:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, accounts: Accounts) -> None:
        self._app = app
        self._accounts = accounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _protect(request, MutableHeaders(scope=message))
                await self._audit(request, message["status"])
            await send(message)

        await self._app(scope, receive, guarded)

    async def _audit(self, request: Request, status: int) -> None:
        begun: Entry | None = request.scope.get(BEGUN)
        if begun is not None:
            await self._accounts.audit.end(begun, status)
        elif _is_change(request):
            await self._accounts.audit.add(_entry(self._accounts, request, status))


async def announce(accounts: Accounts, request: Request, body: Any = None) -> None:
    """A request is about to be handled: if it is for a change, that is on disk when this returns.

    Args:
        body: What came with it, as its route takes it.
    """
    if _is_change(request):
        entry = _entry(accounts, request, 0, asked_about(body, request.query_params))
        request.scope[BEGUN] = await accounts.audit.begin(entry)


def conclude(request: Request, reply: Reply) -> None:
    """It was handled, and this is the answer: what it says of the change stands in the log with its end."""
    begun: Entry | None = request.scope.get(BEGUN)
    if begun is not None:
        request.scope[BEGUN] = msgspec.structs.replace(begun, about=begun.about | came_of(reply))


def _entry(accounts: Accounts, request: Request, status: int, about: dict[str, Any] | None = None) -> Entry:
    user: User = request.scope["user"]
    return Entry(
        at=accounts.clock.now(),
        who=user.name,
        address=peer_of(request).address,
        # As it came, in which a slash within a name is none; and without the query.
        what=f"{request.method} {_raw_path(request)}",
        about=about or {},
        status=status,
        outcome=outcome_of(status),
    )


def _protect(request: Request, headers: MutableHeaders) -> None:
    for name, value in headers_for(request.url.path, is_tls=peer_of(request).is_tls):
        headers.setdefault(name, value)
    if "sec-fetch-site" in request.headers:
        # A browser would ask for a password in a window of its own, which the page has a place for.
        del headers["www-authenticate"]


def _is_change(request: Request) -> bool:
    """Whether somebody known asks for a change, allowed or not: strangers could fill the log with nothing."""
    # Who tries to log in is known to the accounts alone, and they tell it.
    path, user = request.url.path, request.scope.get("user", NOBODY)
    if request.method in READING or path == LOGIN or path.startswith(ASKING):
        return False
    return user is not NOBODY


def _raw_path(request: Request) -> str:
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return raw.decode("ascii", "replace")
