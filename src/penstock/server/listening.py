"""Opens the sockets of listeners, with errors that say which setting to change."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING, Final

from penstock.errors import CannotListen

if TYPE_CHECKING:
    from penstock.settings import Address

__all__ = ["BACKLOG", "listen"]

#: Connections that may wait to be accepted: a whole fleet that comes back at once. RabbitMQ: 128.
BACKLOG: Final = 1024

_REASONS: Final = {
    errno.EADDRINUSE: "something else is listening there already",
    errno.EADDRNOTAVAIL: "this machine has no such address",
    errno.EACCES: "ports below 1024 are for root",
}


def listen(setting: str, address: Address) -> list[socket.socket]:
    """Listening sockets for an address: one, or one for each interface family.

    Args:
        setting: Which setting the address is from, for the error.

    Raises:
        CannotListen: saying why, and what to change; no socket is left open.
    """
    sockets: list[socket.socket] = []
    try:
        for family, place in _places(setting, address):
            sockets.append(_opened(setting, address, family, place))
            if address.port == 0:
                # A free port was found for the first family; another for the second would be two addresses.
                break
    except CannotListen:
        for each in sockets:
            each.close()
        raise
    return sockets


_Place = tuple[socket.AddressFamily, tuple[object, ...]]


def _places(setting: str, address: Address) -> list[_Place]:
    if address.host == "localhost":
        # Both of them, whatever the machine's list of hosts says: clients may try either, and only it.
        first: _Place = (socket.AF_INET, ("127.0.0.1", address.port))
        second: _Place = (socket.AF_INET6, ("::1", address.port))
        return [first, second] if _has_loopback_6() else [first]
    try:
        found = socket.getaddrinfo(
            address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as exc:
        raise _failed(setting, address, exc.strerror or str(exc)) from exc
    return [(family, place) for family, _, _, _, place in dict.fromkeys(found)]


def _has_loopback_6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


def _opened(
    setting: str, address: Address, family: socket.AddressFamily, place: tuple[object, ...]
) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A broker that restarts need not wait until the last connections of the old one have timed out.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(place)
        opened.listen(BACKLOG)
        opened.setblocking(False)  # noqa: FBT003  the standard library's verb
    except OSError as exc:
        opened.close()
        reason = _REASONS.get(exc.errno or 0) or exc.strerror or str(exc)
        raise _failed(setting, address, reason) from exc
    return opened


def _failed(setting: str, address: Address, reason: str) -> CannotListen:
    flag = "--" + setting.replace("_", "-")
    return CannotListen(
        f"cannot listen on {address}: {reason}. "
        f"Change the setting {setting}, e.g. {flag} 127.0.0.1:0 for a free port",
        setting=setting,
    )
