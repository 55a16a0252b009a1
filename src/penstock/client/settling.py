"""What consumers say about the messages of a channel, gathered over a loop's turn and said in few frames.

Delivery tags count up from 1 on each channel, so all below the lowest one in hand are settled, and a run that
begins there is acknowledged at once with `multiple`. No I/O: `frames` gives what is to be sent.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from penstock.errors import NotConnected
from penstock.wire.amqp import BasicProperties, content_frames, method_frame
from penstock.wire.amqp.constants import FRAME_END, METHOD_FRAME
from penstock.wire.amqp.encoder import confirm_frames
from penstock.wire.amqp.methods import BasicNack, BasicPublish, BasicReject

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.client.counters import Counters

__all__ = ["Settling"]

#: Type, channel, size, ids, tag, bits, end.
_FRAME: Final = struct.Struct(">BHIIQBB")
_SIZE: Final = 13
#: Where a Penstock broker hears of deliveries that are still being worked on, and what says which.
TOUCH: Final = "amq.penstock.touch"
TAG_HEADER: Final = "x-delivery-tag"
#: The bit of basic.nack that requeues; of basic.reject it is the first.
_NACK_REQUEUE: Final = 2


class Settling:
    """The messages in hand of one channel."""

    __slots__ = (
        "_acks",
        "_channel",
        "_counters",
        "_lowest",
        "_others",
        "_settled",
        "_touched",
        "_wake",
        "in_hand",
        "is_open",
        "queue",
        "round_trip",
    )

    def __init__(self, channel: int, queue: str, counters: Counters, wake: Callable[[], None]) -> None:
        """`wake` is called when there is something to send, once until `frames` was called."""
        self._channel = channel
        self._counters = counters
        self._wake = wake
        #: Where the messages come from, for those who ask them.
        self.queue = queue
        self.is_open = True
        #: Says at once what was settled, and is answered when the broker has heard it.
        self.round_trip: Callable[[], Awaitable[object]] = _unanswered
        #: Delivered and not settled.
        self.in_hand = 0
        #: No tag below it is in hand.
        self._lowest = 1
        #: Tags above it that are settled.
        self._settled: set[int] = set()
        self._acks: list[int] = []
        self._others: list[bytes] = []
        self._touched: list[bytes] = []

    def __repr__(self) -> str:
        return f"<Settling channel {self._channel} of {self.queue!r}, {self.in_hand} in hand>"

    def ack(self, tag: int) -> None:
        """It is done."""
        if self.is_open:
            if not self._acks and not self._others:
                self._wake()
            self._acks.append(tag)
        else:
            self._counters.stale_acks += 1

    def ack_many(self, tags: range) -> None:
        """They are done."""
        if self.is_open:
            if not self._acks and not self._others:
                self._wake()
            self._acks += tags
        else:
            self._counters.stale_acks += len(tags)

    def reject(self, tag: int, *, requeue: bool) -> None:
        """It failed: RabbitMQ 4.3 counts this delivery."""
        self._settle_apart(tag, BasicReject.id, int(requeue))

    def nack(self, tag: int, *, requeue: bool) -> None:
        """It is given back, not the message's fault: RabbitMQ 4.3 does not count this delivery."""
        self._settle_apart(tag, BasicNack.id, _NACK_REQUEUE * requeue)

    def touch(self, tag: int) -> None:
        """It is still being worked on: AMQP has no word for it, so it is published."""
        if self.is_open:
            if not (self._acks or self._others or self._touched):
                self._wake()
            self._touched.append(_touch_frames(self._channel, tag))

    def _settle_apart(self, tag: int, method_id: int, bits: int) -> None:
        if not self.is_open:
            self._counters.stale_acks += 1
            return
        if not self._acks and not self._others:
            self._wake()
        self._others.append(_FRAME.pack(METHOD_FRAME, self._channel, _SIZE, method_id, tag, bits, FRAME_END))
        self._settled.add(tag)

    def frames(self, out: list[bytes]) -> None:
        """As few frames as say what was settled since the last call."""
        if self._touched:
            out += self._touched
            self._touched.clear()
        # What was not acknowledged goes first: an ack with `multiple` must not include it.
        out += self._others
        self._counters.rejected += len(self._others)
        self.in_hand -= len(self._others)
        self._others.clear()
        acks, self._acks = self._acks, []
        self._counters.acked += len(acks)
        self.in_hand -= len(acks)
        if acks and not self._settled and self._is_run(acks):
            # All that came, none left out: the usual case.
            ends = (self._lowest, max(acks))
            self._lowest = ends[1] + 1
            confirm_frames(out, self._channel, ends if len(acks) > 1 else ends[1:], None)
        else:
            self._advance(acks)
            confirm_frames(out, self._channel, sorted(acks), self._lowest)

    def _is_run(self, acks: list[int]) -> bool:
        """Whether they are the lowest in hand, without a gap; no tag is acknowledged twice."""
        return min(acks) == self._lowest and max(acks) - self._lowest + 1 == len(acks)

    def _advance(self, acks: list[int]) -> None:
        settled, lowest = self._settled, self._lowest
        settled.update(acks)
        while lowest in settled:
            settled.discard(lowest)
            lowest += 1
        self._lowest = lowest

    def lose(self) -> None:
        """The channel is gone: what was in hand comes again, to somebody."""
        if self.is_open:
            self.is_open = False
            self._counters.stale_acks += len(self._acks) + len(self._others)
            self._acks.clear()
            self._others.clear()
            self._touched.clear()


def _touch_frames(channel: int, tag: int) -> bytes:
    headers = BasicProperties.of(headers={TAG_HEADER: tag})
    return method_frame(channel, BasicPublish("", TOUCH)) + content_frames(channel, headers, b"", 0)


async def _unanswered() -> None:
    raise NotConnected("there is no channel to ask on")
