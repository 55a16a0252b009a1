"""The domain's queues at a broker: the port Queues on the port Broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.messaging.message import Message

if TYPE_CHECKING:
    from penstock.did.queues import DomainQueues
    from penstock.messaging.port import Broker

__all__ = ["BrokerQueues"]


class BrokerQueues:
    """Publishes, and waits for the broker's word."""

    def __init__(self, broker: Broker, queues: DomainQueues) -> None:
        self._broker = broker
        self._queues = queues

    async def publish(self, queue: str, payload: bytes) -> None:
        destination = self._queues.destination(self._queues.named(queue))
        await self._broker.publish(Message(body=payload), destination)
