"""The notifications service: tells people, and would rather miss one than tell somebody twice.

A provider of notifications cannot be asked whether it has sent something already. So this consumer acks
before it calls, at most once; and since the relay before it may publish a message twice, when the broker dies
before its confirm, the inbox's row is committed before it calls, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.commons.events import EntityChanged
from examples.commons.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.messaging.subscriptions import Context

__all__ = ["Notifications"]


class Notifications(Service):
    """Sends a line for every change."""

    def __init__(self, database: str, *, send: Callable[[str], None], **how: Any) -> None:
        super().__init__(database, **how)
        self._send = send
        self.app.consumer(EntityChanged, name="Notifications", at_most_once=True)(self._tell)

    async def _tell(self, event: EntityChanged, context: Context) -> None:
        async with self.engine.begin() as connection:
            if not await self.inbox.is_new(connection, context.message.id, context.consumer):
                return
        self._send(f"{event.chain}: {event.id} was {event.change} {event.title}".rstrip())
