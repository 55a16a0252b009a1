"""Visit: one request of a known user, on its way through a verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.guard import Guard
    from penstock.server.http.request import Request

__all__ = ["Visit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a verb is given."""

    front: AmqpFront
    host: VirtualHost
    guard: Guard
    user: str
    request: Request
