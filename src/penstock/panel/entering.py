"""Doors: how a request shows whose it is. Here HTTP's Basic; the page's own door is in accounts/."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from penstock.errors import PenstockError
from penstock.panel.replies import ApiFault
from penstock.server.authentication import Peer
from penstock.server.http.entering import claim_of

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from penstock.panel.panel import Panel
    from penstock.server.users import User

__all__ = ["READING", "BasicDoor", "Door", "demand_own_page", "is_own_page", "peer_of", "stranger"]

#: Verbs that change nothing (RFC 9110 §9.2.1).
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: What a browser says of a request that this site's own page has made, or a person's own hand.
OWN: Final = frozenset({"same-origin", "none"})

#: RFC 7617. The charset tells clients how to write what is not ASCII.
CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="Penstock", charset="UTF-8"'}


class Door(Protocol):
    """One way to show who asks."""

    async def admit(self, panel: Panel, request: HTTPConnection) -> User | None:
        """The user who asks; None if nothing is shown that this door knows.

        Raises:
            ApiFault: what is shown does not hold.
        """
        ...


class BasicDoor:
    """User and password with every request, as tools have it."""

    async def admit(self, panel: Panel, request: HTTPConnection) -> User | None:
        authorization = request.headers.get("authorization")
        if authorization is None:
            return None
        access, peer = panel.embedded.front.access, peer_of(request)
        try:
            claim = claim_of(authorization, peer, access.mechanisms(peer))
        except PenstockError as error:
            raise stranger(str(error)) from error
        verdict = await access.judge(claim, peer)
        if verdict.user is None:
            raise stranger("login was refused; the broker's log says why")
        return verdict.user


def peer_of(request: HTTPConnection) -> Peer:
    """Where a request comes from."""
    address = request.client.host if request.client is not None else ""
    return Peer(address=address, is_tls=request.url.scheme in {"https", "wss"})


def demand_own_page(request: HTTPConnection) -> None:
    """Refuse a change that another site's page has asked for.

    A browser that knows a password, or has a cookie, sends it along, whoever's page has asked.

    Raises:
        ApiFault: 403, one has.
    """
    if request.scope.get("method", "GET") not in READING and not is_own_page(request):
        raise ApiFault(403, "a page of another site has asked for this change")


def is_own_page(request: HTTPConnection) -> bool:
    """Whether our own page asks, or none at all, by what the browser says of it."""
    origin = request.headers.get("origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    return is_ours and request.headers.get("sec-fetch-site", "none") in OWN


def stranger(reason: str) -> ApiFault:
    """Nobody that the broker knows."""
    return ApiFault(401, reason, headers=CHALLENGE)
