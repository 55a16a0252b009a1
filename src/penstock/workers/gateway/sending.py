"""Reaching clients from anywhere in an application: a user, on all connections there are, or a room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.workers.fan import FanExchange
from penstock.workers.gateway.settings import WEBSOCKET

if TYPE_CHECKING:
    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.form import UserId

__all__ = ["Sender"]


class Sender:
    """Sends to the clients of all gateways. Needs a broker, and no gateway in this process."""

    def __init__(self, broker: AmqpBroker) -> None:
        self._fan = FanExchange(broker)

    async def to_user(self, user_id: UserId, route: str, content: Any) -> bool:
        """Send to all of a user's clients; False if there is no gateway to hear it.

        Raises:
            InvalidMessage: JSON cannot say it.
            PublishError: the broker refused it, or was away for too long.
        """
        return await self._fan.publish(WEBSOCKET, {"route": route, "user_id": user_id, "content": content})

    async def to_room(self, room: str, route: str, content: Any) -> bool:
        """Send to all clients in a room; as `to_user`."""
        return await self._fan.publish(WEBSOCKET, {"route": route, "room": room, "content": content})
