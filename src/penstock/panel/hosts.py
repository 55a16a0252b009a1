"""By which names a panel answers: those that its machine and its operator have given it.

A page that a stranger serves under a name of theirs can have that name lead to this machine a moment later
(DNS rebinding). To a browser the page and the panel are one site then, and nothing that it says about a
request tells them apart but the name itself.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from penstock.panel.replies import ApiFault, refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from penstock.settings import Settings

__all__ = ["OwnHosts"]

#: In `panel_hosts`: whoever stands before the panel has looked at the name.
ANY: Final = "*"
#: RFC 9110 §15.5.20, Misdirected Request.
MISDIRECTED: Final = 421


class OwnHosts:
    """ASGI middleware: lets requests pass that were made to an address, or to a name of this panel."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        listened = (address.host for address in (*settings.panel, *settings.panel_tls))
        names = ("localhost", socket.gethostname(), *listened, *settings.panel_hosts)
        self._names = frozenset(name.lower() for name in names if name)

    def __repr__(self) -> str:
        return f"<OwnHosts {' '.join(sorted(self._names))}>"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"]
        strange = next((host for host in told if not self.is_own(host)), None)
        if strange is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            reason = f"this panel is not called {strange[:100]!r}: name it in the setting panel_hosts"
            reply = refusal(ApiFault(MISDIRECTED, reason))
            await Response(reply.body, reply.status, media_type=reply.kind)(scope, receive, send)

    def is_own(self, host: str) -> bool:
        """Whether a header Host names an address, which no name can be made to look like, or this panel."""
        name = _without_port(host)
        return name in self._names or ANY in self._names or _is_address(name)


def _without_port(host: str) -> str:
    """`[::1]:15672` → `::1`, `Panel.example.:15672` → `panel.example`."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].removesuffix(".").lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
