"""A channel whose messages are handed over in runs.

**In a flood reads wait a little.** A broker writes a few messages at a time, and whoever reads as soon as
there is something reads a few at a time: measured with RabbitMQ and bodies of 1 KB, 10 messages a read, which
cost as much as what was done with them. After a read of several messages that are little together, the socket
gathers for some milliseconds. After a large one it does not: there is more, and the broker would wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.client.channel import Channel
from penstock.client.delivery import Delivery
from penstock.client.receiving import ConsumerChannel
from penstock.client.run import Run
from penstock.wire.amqp import content_frames
from penstock.wire.amqp.items import DELIVERIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.bodies import LargeBody
    from penstock.client.connection import Connection
    from penstock.errors import ClientError

__all__ = ["RunChannel"]

#: Messages in a read that make a flood.
FLOOD: Final = 4
#: Seconds for which the socket gathers.
GATHER_IN: Final = 0.005


class RunChannel(ConsumerChannel):
    """A channel with one consumer that is given Runs."""

    def __init__(
        self,
        connection: Connection,
        queue: str,
        receive: Callable[[list[Any]], None],
        on_end: Callable[[ClientError | None], None],
        delivery: type[Delivery] = Delivery,
    ) -> None:
        super().__init__(connection, queue, receive, on_end, delivery)
        connection.decoder.in_runs(self.number)

    def hand_over(self) -> None:
        """Deliveries that were in the way of no run."""
        arrived, self.arrived = self.arrived, []
        runs = [Run(self.settling, tag, args, [frames]) for _, _, args, tag, _, frames, _ in arrived]
        self.give(runs, len(runs))

    def whole(self, large: LargeBody) -> None:
        """None is too large here."""
        self.hand_over()
        head: Any = large.head
        _, _, args, tag = head
        frames = content_frames(self.number, large.properties, large.body, self.connection.frame_max)
        self.give([Run(self.settling, tag, args, [frames])], 1)

    def ended(self, error: ClientError) -> None:
        self.connection.decoder.in_runs(self.number, wanted=False)
        super().ended(error)

    def _came(self, item: Any) -> None:
        _, _, args, first, frames = item
        self.hand_over()  # what came before it goes before it
        self.give([Run(self.settling, first, args, frames)], len(frames))
        if len(frames) >= FLOOD:
            self.connection.gather(GATHER_IN)

    ITEMS: ClassVar = {**Channel.ITEMS, DELIVERIES: _came}
