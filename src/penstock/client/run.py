"""A run: messages in hand that came one after the other from one place, as their frames.

For who takes many and settles them together: no object is made for each, and nothing in them is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.client.settling import Settling
    from penstock.wire.amqp import DeliverArgs

__all__ = ["Run"]


class Run:
    """Acknowledge it once; a second time nothing happens.

    Once the channel is gone that only counts, as of a Delivery: the broker delivers the messages again.
    """

    __slots__ = ("_args", "_first", "_settling", "frames")

    def __init__(self, settling: Settling, first: int, args: DeliverArgs, frames: list[bytes]) -> None:
        self._settling = settling
        self._first = first
        self._args = args
        #: Content header and body frames of each message.
        self.frames = frames

    def __repr__(self) -> str:
        state = "in hand" if self._first else "settled"
        return f"<Run of {len(self.frames)} from {self.exchange!r} with {self.routing_key!r}, {state}>"

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def exchange(self) -> str:
        """Where they were published to."""
        return self._args[2]

    @property
    def routing_key(self) -> str:
        """What they were published with."""
        return self._args[3]

    @property
    def redelivered(self) -> bool:
        """Whether somebody may have had them in hand before."""
        return self._args[1]

    @property
    def is_lost(self) -> bool:
        """Whether their channel is gone: the broker delivers them again."""
        return not self._settling.is_open

    def ack(self) -> None:
        """They are done: the broker may forget them."""
        first, self._first = self._first, 0
        if first:
            self._settling.ack_many(range(first, first + len(self.frames)))
