"""Changing what a virtual host has: with AMQP's own verbs, and durable before it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.desk import Desk
from penstock.server.http.durable import durable

if TYPE_CHECKING:
    from penstock.panel.visit import Visit
    from penstock.wire.amqp.methods import Method

__all__ = ["desk_in", "do"]


def desk_in(visit: Visit, vhost: str) -> Desk:
    """A channel of the visitor's own in a virtual host.

    Raises:
        UnknownVirtualHost, NotPermitted: there is none, or not for this user.
    """
    guard = visit.guard(vhost)
    return Desk(visit.front, visit.host(vhost), guard)


async def do(visit: Visit, vhost: str, *methods: Method) -> list[Method | None]:
    """Do some of AMQP's methods one after the other; their answers.

    Raises:
        PenstockError: one cannot be, or may not; those before it are done.
    """
    with desk_in(visit, vhost) as desk:
        answers = [desk.do(method) for method in methods]
    await durable(visit.broker)
    return answers
