"""Connecting to a host that somebody else has named: in time however many addresses it has, and not to any.

Whoever owns a name says where it leads. So the address is looked at, not the name, and it is the one that is
connected to: asked a second time, the name could lead elsewhere.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import ContentNotFound, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["dial"]

#: Addresses of one host that are tried; they share the time.
MOST: Final = 4


def dial(
    host: str,
    port: int,
    timeout: float,
    may_reach: Callable[[str, int, str], bool] | None = None,
    begin: Callable[[str, int], None] | None = None,
) -> socket.socket:
    """A connection to a host.

    Args:
        host: Its name, or its address.
        port: Where it listens.
        timeout: Seconds for all of its addresses together, and then for each wait for it.
        may_reach: Whether a host's port may be reached at an address; any, if it is None.
        begin: Told of each address before it is tried. One at which it raises Unavailable is passed over.

    Raises:
        ContentNotFound: it may be reached at none of its addresses.
        OSError, Unavailable: it cannot be, now.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    allowed = [
        (family, address)
        for family, *_, address in found
        if not may_reach or may_reach(host, port, str(address[0]))
    ]
    if not allowed:
        raise ContentNotFound(f"{host} is at {found[0][4][0]}, where no other domain is: it is not asked")
    tried = allowed[:MOST]
    failure: OSError | Unavailable
    for family, address in tried:
        try:
            if begin is not None:
                begin(str(address[0]), port)
            connection = _connected(family, address, timeout / len(tried))
        except (OSError, Unavailable) as exc:
            failure = exc
        else:
            connection.settimeout(timeout)
            return connection
    raise failure


def _connected(family: int, address: Any, timeout: float) -> socket.socket:
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect(address)
    except BaseException:
        connection.close()
        raise
    return connection
