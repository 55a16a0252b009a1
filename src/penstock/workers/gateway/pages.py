"""Before a connection is a WebSocket: whose page it comes from, and the few pages of the gateway itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Response

from penstock.workers.gateway import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from websockets.http11 import Request

    from penstock.workers.gateway.counters import Counters

__all__ = ["WEBSOCKET_PATH", "State", "is_websocket", "maybe_page", "page_with"]

WEBSOCKET_PATH: Final = "/ws"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a gateway is, as far as its pages say."""

    counters: Counters
    #: Whether one more connection may be.
    has_room: bool
    #: Whether its broker is there.
    is_connected: bool


def maybe_page(request: Request, origins: AbstractSet[str], state: State) -> Response | None:
    """What is answered over HTTP; None if it is a WebSocket that may come in.

    Args:
        request: What came.
        origins: Of the pages that may connect, besides those of the same host.
        state: Of the gateway, now.
    """
    page = PAGES.get(_path(request))
    if page is not None:
        return page(state)
    if not is_websocket(request):
        return page_with(HTTPStatus.NOT_FOUND, f"the WebSocket is at {WEBSOCKET_PATH}\n".encode())
    if not _is_welcome(request.headers, origins):
        return page_with(HTTPStatus.FORBIDDEN, b"pages of this origin may not connect\n")
    if not state.has_room:
        return page_with(HTTPStatus.SERVICE_UNAVAILABLE, b"too many connections: try another gateway\n")
    return None


def is_websocket(request: Request) -> bool:
    """Whether somebody wants to be a client."""
    return _path(request) == WEBSOCKET_PATH


def _path(request: Request) -> str:
    return urlsplit(request.path).path


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


def _module_page(_state: State) -> Response:
    # It holds no secret, and a page of another host may want it.
    return page_with(HTTPStatus.OK, module(), "text/javascript", {"Access-Control-Allow-Origin": "*"})


def _health_page(state: State) -> Response:
    if state.is_connected:
        return page_with(HTTPStatus.OK, b"ok\n")
    # Clients stay connected, and what they ask for meanwhile is refused.
    return page_with(HTTPStatus.SERVICE_UNAVAILABLE, b"the broker is away\n")


def _metrics_page(state: State) -> Response:
    return page_with(HTTPStatus.OK, metrics.told(state.counters), metrics.CONTENT_TYPE)


#: By their paths.
PAGES: Final[Mapping[str, Callable[[State], Response]]] = {
    "/penstock.js": _module_page,
    "/health": _health_page,
    "/metrics": _metrics_page,
}


@cache
def module() -> bytes:
    """The client for browsers."""
    return files("penstock.workers.gateway").joinpath("penstock.js").read_bytes()
