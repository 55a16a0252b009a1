"""Before a connection is a WebSocket: whose page it comes from, and the few pages of the gateway itself."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Response

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from websockets.http11 import Request

__all__ = ["WEBSOCKET_PATH", "maybe_page", "page_with"]

WEBSOCKET_PATH: Final = "/ws"
MODULE: Final = "/penstock.js"
HEALTH: Final = "/health"


def maybe_page(request: Request, origins: AbstractSet[str], *, has_room: bool) -> Response | None:
    """What is answered over HTTP; None if it is a WebSocket that may come in.

    Args:
        request: What came.
        origins: Of the pages that may connect, besides those of the same host.
        has_room: Whether one more connection may be.
    """
    path = urlsplit(request.path).path
    if path == MODULE:
        # It holds no secret, and a page of another host may want it.
        return page_with(HTTPStatus.OK, module(), "text/javascript", {"Access-Control-Allow-Origin": "*"})
    if path == HEALTH:
        return page_with(HTTPStatus.OK, b"ok\n")
    if path != WEBSOCKET_PATH:
        return page_with(HTTPStatus.NOT_FOUND, f"the WebSocket is at {WEBSOCKET_PATH}\n".encode())
    if not _is_welcome(request.headers, origins):
        return page_with(HTTPStatus.FORBIDDEN, b"pages of this origin may not connect\n")
    if not has_room:
        return page_with(HTTPStatus.SERVICE_UNAVAILABLE, b"too many connections: try another gateway\n")
    return None


def page_with(
    status: HTTPStatus, body: bytes, kind: str = "text/plain", more: dict[str, str] | None = None
) -> Response:
    """A page."""
    headers = Headers(
        {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
            **(more or {}),
        }
    )
    return Response(status.value, status.phrase, headers, body)


def _is_welcome(headers: Headers, origins: AbstractSet[str]) -> bool:
    """Whether the page may connect. A program that is no browser names no origin, and needs a token, too."""
    named = headers.get_all("Origin")
    if not named:
        return True
    if len(named) > 1:
        return False
    return named[0] in origins or urlsplit(named[0]).netloc in headers.get_all("Host")


@cache
def module() -> bytes:
    """The client for browsers."""
    return files("penstock.workers.gateway").joinpath("penstock.js").read_bytes()
