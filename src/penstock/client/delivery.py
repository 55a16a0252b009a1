"""A message that came, and the verbs that settle it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import ClientError
from penstock.wire.amqp import body_of

if TYPE_CHECKING:
    from penstock.client.settling import Settling
    from penstock.wire.amqp import BasicProperties, DeliverArgs

__all__ = ["Delivery"]


class Delivery:
    """A message in hand. Settle it once, with one verb; a second time nothing happens.

    The verbs return at once and are sent with others of the same turn of the loop. Once the channel is gone
    they do nothing but count (`client.counters.stale_acks`): the broker delivers the message again.
    """

    __slots__ = ("_args", "_body", "_frames", "_settling", "_tag", "lease", "memo", "properties")

    def __init__(
        self,
        settling: Settling,
        tag: int,
        args: DeliverArgs,
        properties: BasicProperties,
        frames: bytes,
        body: bytes | None = None,
    ) -> None:
        self._settling = settling
        self._tag = tag
        self._args = args
        self.properties = properties
        self._frames = frames
        self._body = body
        #: Room for what its reader made of it.
        self.memo: Any = None
        #: And for what keeps it in hand, where the broker takes it back after a while.
        self.lease: Any = None

    def __repr__(self) -> str:
        state = "in hand" if self._tag else "settled"
        return f"<Delivery of {self.queue!r} from {self.exchange!r} with {self.routing_key!r}, {state}>"

    @property
    def body(self) -> bytes:
        """What it says."""
        if self._body is None:
            self._body = body_of(self._frames)
        return self._body

    @property
    def queue(self) -> str:
        """Where it waited; for a reply, its address."""
        return self._settling.queue

    @property
    def exchange(self) -> str:
        """Where it was published to."""
        return self._args[2]

    @property
    def routing_key(self) -> str:
        """What it was published with."""
        return self._args[3]

    @property
    def redelivered(self) -> bool:
        """Whether somebody may have had it in hand before."""
        return self._args[1]

    @property
    def is_settled(self) -> bool:
        """Whether one of the verbs was called."""
        return not self._tag

    @property
    def is_lost(self) -> bool:
        """Whether its channel is gone: the broker delivers it again, to somebody."""
        return not self._settling.is_open

    def ack(self) -> None:
        """It is done: the broker may forget it."""
        tag = self._tag
        if tag:
            self._tag = 0
            self._settling.ack(tag)

    async def ack_for_certain(self) -> bool:
        """It is done, and the broker has heard so when this returns; False if that cannot be known.

        One round trip, for who must not begin before: an ack on its way is lost with the process.
        """
        if not self._tag:
            return False
        self.ack()
        try:
            await self._settling.round_trip()
        except ClientError:
            return False
        return True

    def reject(self, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 (AMQP's own flag)
        """It failed: away to the queue's dead letters, or back into the queue; the delivery counts."""
        tag = self._tag
        if tag:
            self._tag = 0
            self._settling.reject(tag, requeue=requeue)

    def nack(self, requeue: bool = True) -> None:  # noqa: FBT001, FBT002 (likewise)
        """It was not its fault: back into the queue, or away; RabbitMQ 4.3 does not count the delivery."""
        tag = self._tag
        if tag:
            self._tag = 0
            self._settling.nack(tag, requeue=requeue)

    def touch(self) -> None:
        """It is still being worked on: on Penstock, its lease (x-ttr) begins anew. It stays to be settled."""
        if self._tag:
            self._settling.touch(self._tag)
