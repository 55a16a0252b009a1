"""Connecting to a host that somebody else has named: in time however many addresses it has, and not to any.

Whoever owns a name says where it leads. So the address is looked at, not the name, and it is the one that is
connected to: asked a second time, the name could lead elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Final

from penstock.errors import ContentNotFound

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["dial", "is_nobodys"]

#: Addresses of one host that are tried; they share the time.
MOST: Final = 4


def dial(
    host: str,
    port: int,
    timeout: float,
    may_reach: Callable[[str, str], bool] | None = None,
    begin: Callable[[str, int], None] | None = None,
) -> socket.socket:
    """A connection to a host.

    Args:
        host: Its name, or its address.
        port: Where it listens.
        timeout: Seconds for all of its addresses together, and then for each wait for it.
        may_reach: Whether a host may be reached at an address; any, if it is None.
        begin: Told of each address before it is tried; what it raises passes through.

    Raises:
        ContentNotFound: it may be reached at none of its addresses.
        OSError: it cannot be, now.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    allowed = [
        (family, address)
        for family, *_, address in found
        if not may_reach or may_reach(host, str(address[0]))
    ]
    if not allowed:
        raise ContentNotFound(f"{host} is at {found[0][4][0]}, where no other domain is: it is not asked")
    tried = allowed[:MOST]
    for family, address in tried:
        if begin is not None:
            begin(str(address[0]), port)
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(timeout / len(tried))
            connection.connect(address)
        except OSError as exc:
            connection.close()
            failure = exc
        else:
            connection.settimeout(timeout)
            return connection
    raise failure


def is_nobodys(address: str) -> bool:
    """Whether an address is this machine's own, its link's or its network's as a whole: no other domain's.

    Those of private networks are not among them: domains of one house may well meet there.
    """
    it = ipaddress.ip_address(address.partition("%")[0])
    it = getattr(it, "ipv4_mapped", None) or it
    return it.is_loopback or it.is_link_local or it.is_unspecified or it.is_multicast or it.is_reserved
