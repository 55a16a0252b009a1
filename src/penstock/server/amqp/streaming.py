"""Streaming: large bodies on their way in, piece by piece into a file.

A thread writes a piece while the next one comes; when the disk is slower than the client, the client is
not read from. What follows a body waits until the body is written, so publishes keep their order.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import PenstockError, StoreError
from penstock.server.amqp.bodies import PIECE
from penstock.server.amqp.errors import ChannelFault, fault_of
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.content import header_frame
from penstock.wire.amqp.items import BODY_END, BODY_PIECE, BODY_START

if TYPE_CHECKING:
    import asyncio

    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.session import AmqpSession
    from penstock.store import Growing

__all__ = ["Streaming", "Upload"]

log = logging.getLogger(__name__)

#: Bytes of one client that may be on their way to the disk, whatever the number of bodies.
UNWRITTEN_MOST: Final = 4 * PIECE


class Streaming:
    """The bodies a session is in the middle of, by channel."""

    __slots__ = ("_growing", "_session", "unwritten")

    def __init__(self, session: AmqpSession) -> None:
        self._session = session
        self._growing: dict[Channel, Upload] = {}
        #: Bytes on their way to the disk.
        self.unwritten = 0

    def __len__(self) -> int:
        return len(self._growing)

    def take(self, channel: Channel, item: Any) -> None:
        """A beginning, a piece, or the end."""
        if item[0] is BODY_START:
            self._growing[channel] = Upload(self, self._session, channel, item)
        elif item[0] is BODY_PIECE:
            self._growing[channel].append(item[2])
        else:
            self._growing[channel].end()

    def done(self, channel: Channel) -> None:
        """A channel's body is written, and published."""
        self._growing.pop(channel, None)

    def abandon(self, channel: Channel | None = None) -> None:
        """A channel, or all of them, will not finish what they began."""
        for gone in list(self._growing) if channel is None else [channel]:
            upload = self._growing.pop(gone, None)
            if upload is not None:
                upload.abandon()


class Upload:
    """One body that is coming in."""

    __slots__ = (
        "_bodies",
        "_channel",
        "_error",
        "_file",
        "_gathered",
        "_has_ended",
        "_is_abandoned",
        "_is_holding",
        "_is_writing",
        "_pieces",
        "_session",
        "_start",
        "_streaming",
        "_writing",
    )

    def __init__(self, streaming: Streaming, session: AmqpSession, channel: Channel, start: Any) -> None:
        self._streaming = streaming
        self._session = session
        self._channel = channel
        self._start = start
        self._bodies = session.front.bodies
        self._file: Growing | None = None
        self._pieces: list[bytes] = []
        #: Bytes that wait to be written, and that are being written.
        self._gathered = self._writing = 0
        self._error: StoreError | None = None
        self._has_ended = False
        self._is_abandoned = False
        self._is_writing = False
        self._is_holding = False

    def append(self, piece: bytes) -> None:
        """A piece has come."""
        if self._error is not None:
            return
        self._pieces.append(piece)
        self._gathered += len(piece)
        if self._is_due():
            self._write_or_hold()

    def end(self) -> None:
        """All of it has come."""
        self._has_ended = True
        self._hold()
        if not self._is_writing:
            self._write()

    def abandon(self) -> None:
        """The rest is not going to come."""
        self._is_abandoned = True
        self._pieces.clear()
        if not self._is_writing and self._file is not None:
            self._bodies.run(self._file.abandon)

    # Writing

    def _is_due(self) -> bool:
        # As many bodies as there are channels may be on their way: together they may gather a piece.
        return self._gathered >= PIECE // len(self._streaming)

    def _write_or_hold(self) -> None:
        if self._is_writing:
            self._hold()
            return
        self._write()
        if self._streaming.unwritten > UNWRITTEN_MOST:
            self._hold()

    def _hold(self) -> None:
        self._is_holding = True
        self._session.hold(self._session.WRITING)

    def _write(self) -> None:
        pieces, size = self._pieces, self._gathered
        self._pieces, self._gathered, self._writing = [], 0, size
        self._streaming.unwritten += size
        self._is_writing = True
        self._bodies.run(self._append, pieces, self._has_ended).add_done_callback(self._wrote)

    def _append(self, pieces: list[bytes], is_end: bool) -> str:  # noqa: FBT001 (called by position, on a thread)
        """On a thread: write pieces, and close the file if they are the last; its name then."""
        if self._error is not None:
            raise self._error
        if self._file is None:
            self._file = self._bodies.create()
        self._file.append(b"".join(pieces))
        return self._file.finish() if is_end else ""

    def _wrote(self, done: asyncio.Future[str]) -> None:
        self._is_writing = False
        self._streaming.unwritten -= self._writing
        error = done.exception()
        if error is not None:
            self._error = error if isinstance(error, StoreError) else StoreError(str(error))
        name = "" if error is not None else done.result()
        if self._is_abandoned or error is not None:
            self._clear_away(name)
        if not self._is_abandoned:
            self._session.act(lambda: self._go_on(name))

    def _clear_away(self, name: str) -> None:
        self._pieces.clear()
        if name:
            self._bodies.forget(name)
        elif self._file is not None:
            self._bodies.run(self._file.abandon)
            self._file = None

    def _go_on(self, name: str) -> None:
        if self._has_ended and not name and self._error is None:
            self._write()
            return
        if self._pieces and self._is_due():
            self._write()
        try:
            if self._has_ended:
                self._publish(name)
        finally:
            if self._is_holding:
                self._is_holding = False
                self._session.release(self._session.WRITING)

    def _publish(self, name: str) -> None:
        _, number, (_, _, args), content, size = self._start
        channel = self._channel
        self._streaming.done(channel)
        try:
            if self._error is not None:
                self._refuse(self._error)
                return
            large = self._bodies.made(name, size)
            frames = header_frame(number, content, size)
            (channel.transaction or channel.publishing).publish_large(
                (BODY_END, number, args, content, frames, large)
            )
        except PenstockError as error:
            self._session.fail(channel, fault_of(error), 60, 40)

    def _refuse(self, error: StoreError) -> None:
        """The disk did not take it: a nack for who can hear it, the end for who cannot."""
        channel = self._channel
        log.error("a body of %d bytes from %r is refused: %s", self._start[4], self._session, error)
        if not channel.publishing.confirms or channel.transaction is not None:
            raise ChannelFault(ReplyCode.RESOURCE_ERROR, "the message cannot be stored") from error
        channel.publishing.refuse()
