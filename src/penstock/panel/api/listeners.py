"""Listeners: where the broker can be reached, by which protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from penstock.panel.visit import Visit

__all__ = ["Listener", "listeners"]

#: Ours → RabbitMQ's word, where it has another.
PROTOCOLS: Final = {"amqps": "amqp/ssl"}


class Listener(NamedTuple):
    """One socket that takes connections."""

    protocol: str
    ip_address: str
    port: int


def listeners(visit: Visit) -> list[Listener]:
    """All of them: the broker's, and the panel's own."""
    found = []
    for url in [*visit.panel.embedded.urls, *visit.panel.urls]:
        parts = urlsplit(url)
        protocol = PROTOCOLS.get(parts.scheme, parts.scheme)
        found.append(Listener(protocol, parts.hostname or "", parts.port or 0))
    return found
