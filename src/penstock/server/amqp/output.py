"""Output: the half of a session that writes.

What channels have to say gathers in `out` and leaves in one write when the broker's turn ends. Large
bodies leave through an outflow, and what comes after them behind them. A client that does not read gets
no more deliveries; one that goes on asking all the same is not read from.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.bodies import PIECE
from penstock.server.amqp.outflow import LargeSending, Outflow
from penstock.wire.amqp.constants import FRAME_OVERHEAD
from penstock.wire.amqp.content import body_frames
from penstock.wire.amqp.encoder import content_method_frames

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker import Broker
    from penstock.server.amqp.bodies import LargeBody
    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.amqp.heartbeat import Heartbeat
    from penstock.server.amqp.message import AmqpMessage
    from penstock.server.amqp.publishing import Publishing
    from penstock.wire.amqp.methods import Method

__all__ = ["ANSWERS_MOST", "WRITE_HIGH", "Output"]

#: Bytes that may wait for a client that does not read before its deliveries pause.
WRITE_HIGH: Final = 512 * 1024
#: Bytes of answers that may wait before a client that does not read them is not read from.
ANSWERS_MOST: Final = 4 * 1024 * 1024
#: Pieces as large as this are cheaper to hand over one by one than to copy into one.
APART_FROM: Final = 4096


class Output(asyncio.BufferedProtocol):
    """A session's way out; the rest of it is AmqpSession."""

    __slots__ = (
        "_answered",
        "_outflow",
        "_to_confirm",
        "_will_flush",
        "broker",
        "channels",
        "frame_max",
        "front",
        "heartbeat",
        "is_clogged",
        "is_ending",
        "is_lost",
        "out",
        "sent",
        "transport",
    )

    transport: asyncio.Transport
    heartbeat: Heartbeat

    def __init__(self, front: AmqpFront) -> None:
        self.front = front
        self.broker: Broker = front.broker
        self.frame_max = front.settings.frame_max
        self.channels: dict[int, Channel] = {}
        self.out: list[bytes] = []
        #: Whether the client does not take what it is sent.
        self.is_clogged = False
        #: A close was sent.
        self.is_ending = False
        self.is_lost = False
        self._outflow: Outflow | None = None
        #: Bytes of contents that were asked for, since it was seen whether the client takes them.
        self._answered = 0
        #: Bytes to the client so far.
        self.sent = 0
        self._will_flush = False
        self._to_confirm: dict[Publishing, None] | None = None

    # What the session does about it

    def act(self, work: Callable[[], None]) -> None:
        """Do something for the client that was waited for, with a turn after it."""
        raise NotImplementedError

    def mind_unread(self, size: int) -> None:
        """So many bytes of answers are not read, None if they are."""
        raise NotImplementedError

    # Small things

    def will_flush(self) -> None:
        """There is something to write when the turn ends."""
        if not self._will_flush:
            self._will_flush = True
            self.broker.will_flush(self)

    def will_confirm(self, publishing: Publishing) -> None:
        """A channel's publishes need no disk: they are confirmed when the turn ends."""
        if self._to_confirm is None:
            self._to_confirm = {}
        self._to_confirm[publishing] = None
        self.will_flush()

    def flush(self) -> None:
        """Write what has gathered, in one go."""
        if self._to_confirm:
            # Still marked as about to flush: a confirm need not ask for it again.
            for publishing in self._to_confirm:
                publishing.confirm_all()
            self._to_confirm.clear()
        self._will_flush = False
        if self.out:
            if self._outflow is not None:
                self._outflow.put(b"".join(self.out))
                self.mind_unread(self._outflow.size)
            elif len(self.out[-1]) < APART_FROM:
                self.write(b"".join(self.out))
            else:
                self.write(*self.out)
            self.out.clear()

    def write(self, *pieces: bytes) -> None:
        """Hand bytes to the socket."""
        if not self.is_lost:
            self.transport.writelines(pieces)
            self.sent += sum(map(len, pieces))
            self.heartbeat.spoke()
            if self.is_clogged:
                self.mind_unread(self.transport.get_write_buffer_size())

    # Large things

    def send_content(
        self, channel: int, method: Method, message: AmqpMessage, lost: Callable[[], None] = lambda: None
    ) -> None:
        """A method and the message it brings: basic.get-ok, basic.return.

        Args:
            lost: called if the message turns out to be damaged: nothing was sent then.
        """
        if message.large is None:
            content_method_frames(self.out, channel, method, message.frames, self.frame_max)
            self.will_flush()
            self._answered += len(message.frames)
            if self._answered > ANSWERS_MOST:
                # One read may ask for thousands: see in between whether the client takes the answers.
                self._answered = 0
                self.flush()
            return
        head: list[bytes] = []
        content_method_frames(head, channel, method, message.frames, self.frame_max)
        self.send_large(channel, b"".join(head), message.large.hold(), lost)

    def send_large(self, channel: int, head: bytes, body: LargeBody, lost: Callable[[], None]) -> None:
        """A content whose body is in a file; deliveries pause until it has left.

        Args:
            head: its method and header frame.
            lost: called if the body cannot be read: nothing of it was sent then.
        """
        if self.is_ending:
            return
        if self._outflow is None:
            self._outflow = Outflow(self)
            if self.is_clogged:
                self._outflow.pause()
            self.mind_flow()
        if self.out:
            self._outflow.put(b"".join(self.out))
            self.out.clear()
        most = self.frame_max - FRAME_OVERHEAD if self.frame_max else PIECE
        size = most * max(PIECE // most, 1)
        framed = partial(body_frames, channel, frame_max=self.frame_max)
        self._outflow.put(LargeSending(head, body, lost, size=size, framed=framed))

    def outflow_ended(self) -> None:
        """Everything large has left."""
        self._outflow = None
        self.act(self._resume)

    def stop_outflow(self) -> None:
        """Nothing large leaves any more."""
        if self._outflow is not None:
            self._outflow.stop()
            self._outflow = None

    @property
    def is_sending(self) -> bool:
        """Whether something large is on its way out."""
        return self._outflow is not None

    # Whether the client reads

    def pause_writing(self) -> None:
        self.is_clogged = True
        self.mind_flow()
        if self._outflow is not None:
            self._outflow.pause()

    def resume_writing(self) -> None:
        self.is_clogged = False
        self.heartbeat.taken()
        if self._outflow is not None:
            self._outflow.resume()
        else:
            self.act(self._resume)

    def _resume(self) -> None:
        self.mind_flow()
        self.mind_unread(0)

    @property
    def is_flowing(self) -> bool:
        """Whether deliveries may be added to what has to be sent."""
        return not self.is_clogged and self._outflow is None and not self.front.is_stopping

    def mind_flow(self) -> None:
        """Let deliveries flow, or not."""
        flowing = self.is_flowing
        for channel in self.channels.values():
            channel.ledger.flowing = flowing
            if flowing:
                channel.ledger.wake()
