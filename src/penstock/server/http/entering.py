"""Who asks: HTTP's Basic, or a client certificate, judged by the same door as AMQP's logins."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as BadBase64
from typing import TYPE_CHECKING, Final

from penstock.errors import UnknownVirtualHost
from penstock.server.http.replies import HttpFault
from penstock.wire.amqp import Claim

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.server.access import Access
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.authentication import Peer
    from penstock.server.guard import Guard

__all__ = ["claim_of", "enter", "identify"]

#: RFC 7617. The charset tells clients how to write what is not ASCII.
_CHALLENGE: Final = (("WWW-Authenticate", 'Basic realm="Penstock", charset="UTF-8"'),)


def claim_of(authorization: str | None, peer: Peer, mechanisms: tuple[str, ...]) -> Claim:
    """Who a request says it comes from.

    Raises:
        HttpFault: 401, it says nothing, or nothing that can be read.
    """
    if authorization is None:
        if "EXTERNAL" in mechanisms and peer.certificate:
            return Claim("EXTERNAL", None)
        raise _stranger("say who you are: user and password, as HTTP's Basic authentication has it")
    scheme, _, proof = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise _stranger(f"the broker knows HTTP's Basic authentication, not {scheme[:40]}")
    try:
        user, colon, password = b64decode(proof.strip(), validate=True).decode().partition(":")
    except (BadBase64, ValueError) as exc:
        raise _stranger("the Authorization header cannot be read") from exc
    if not colon:
        raise _stranger("the Authorization header holds no password")
    return Claim("PLAIN", user, password)


async def identify(access: Access, authorization: str | None, peer: Peer) -> str:
    """The name of the user who asks.

    Raises:
        HttpFault: 401, nobody that the broker knows.
    """
    claim = claim_of(authorization, peer, access.mechanisms(peer))
    verdict = await access.judge(claim, peer)
    if verdict.user is None:
        raise _stranger("login was refused; the broker's log says why")
    return verdict.user.name


def enter(front: AmqpFront, user: str, name: str) -> tuple[VirtualHost, Guard]:
    """A virtual host, and who watches over the user in it.

    Raises:
        UnknownVirtualHost: there is none of that name.
        HttpFault: 403, the user may not enter.
    """
    host = front.broker.hosts.get(name)
    if host is None:
        raise UnknownVirtualHost(f"there is no virtual host '{name}'")
    guard = front.access.guard(user, name)
    if guard is None:
        refused = f"access to virtual host '{name}' is refused for user '{user}'"
        raise HttpFault(403, refused, kind="NotPermitted")
    return host, guard


def _stranger(text: str) -> HttpFault:
    return HttpFault(401, text, kind="LoginRefused", headers=_CHALLENGE)
