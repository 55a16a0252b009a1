"""Ports on this machine's loopback for programs that are to listen there, in as many lives as they have."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import CannotListen
from penstock.server.listening import listen
from penstock.settings.address import Address

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HOST", "HeldPort", "hold_first_free", "told_taken"]

#: Both families of the loopback, as a broker takes it.
HOST: Final = "localhost"
#: Ports that are tried before giving up.
TRIED: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPort:
    """A port that nobody else is given; who asks to reuse it can listen on it."""

    port: int
    #: Bound, and not listening.
    sockets: Sequence[socket.socket]
    #: Ports that somebody had, and that were passed over.
    passed_over: Sequence[int] = ()

    @property
    def address(self) -> str:
        """As a listener is told."""
        return f"{HOST}:{self.port}"

    def is_lost(self) -> bool:
        """Whether somebody else listens there after all, who asked to reuse it, too."""
        try:
            found = listen("port", Address(HOST, self.port))
        except CannotListen:
            return True
        for each in found:
            each.close()
        return False

    def close(self) -> None:
        """Let go of it."""
        for each in self.sockets:
            each.close()


def hold_first_free(port: int) -> HeldPort:
    """The first from there on that nobody has.

    Raises:
        CannotListen: all that were tried are taken.
    """
    taken: list[int] = []
    while True:
        try:
            return HeldPort(port=port, sockets=_held(port), passed_over=tuple(taken))
        except CannotListen:
            if len(taken) == TRIED:
                raise
            taken.append(port)
            port += 1


def told_taken(taken: Sequence[int]) -> str:
    """How a person is told of ports that were passed over."""
    if len(taken) == 1:
        return f"port {taken[0]} is taken"
    return f"ports {taken[0]} to {taken[-1]} are taken"


def _held(port: int) -> list[socket.socket]:
    # Two sockets that are only bound may have one port: whether it is taken is known by listening.
    found = listen("port", Address(HOST, port))
    try:
        places = [(each.family, each.getsockname()) for each in found]
    finally:
        for each in found:
            each.close()
    held: list[socket.socket] = []
    try:
        for family, place in places:
            bound = socket.socket(family)
            held.append(bound)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            bound.bind(place)
    except OSError as exc:
        for each in held:
            each.close()
        raise CannotListen(f"port {port} was taken just now", setting="port") from exc
    return held
