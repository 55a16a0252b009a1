"""The way in: bytes as a socket gives them, items as `items.py` describes them.

One pass over all complete frames of a read. The hot loop takes what comes a hundred thousand times a second,
publishes and settlements at the server, deliveries and confirms at the client; everything else, and all that
is not plainly well formed, is left to the Assembler, one frame at a time. A peer's mistake is an item,
never an exception. Knows no socket and no clock; who calls it decides what an item means.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.wire.amqp.assembly import Assembler, Breach
from penstock.wire.amqp.constants import (
    ACCEPTED_HEADERS,
    BODY_FRAME,
    FRAME_END,
    FRAME_OVERHEAD,
    HEADER_FRAME,
    METHOD_FRAME,
    PROTOCOL_HEADER,
    ReplyCode,
    Role,
)
from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.items import ACK, DELIVER, FAILURE, GREETING, NACK, PUBLISH, REFUSED, REJECT
from penstock.wire.amqp.kinds import Kinds
from penstock.wire.amqp.limits import Limits
from penstock.wire.amqp.methods import BasicAck, BasicDeliver, BasicNack, BasicPublish, BasicReject
from penstock.wire.amqp.runs import runs_in

if TYPE_CHECKING:
    from penstock.wire.amqp.items import Item, PublishArgs
    from penstock.wire.amqp.properties import BasicProperties

__all__ = ["ClientDecoder", "Decoder", "ServerDecoder"]

_FRAME: Final = struct.Struct(">BHI")
#: The start of a method frame: type, channel, size, then class and method id as one number.
_METHOD: Final = struct.Struct(">BHII")
#: From the end octet before it: end, type and channel of a header frame as one number; size; class and
#: weight as one number; body size. Read so, one comparison checks four things.
_HEADER: Final = struct.Struct(">IIIQ")
#: Likewise for a body frame: end, type and channel; size.
_BODY: Final = struct.Struct(">II")
#: Arguments of ack, nack and reject: tag and bits; then the end octet.
_TAG_BITS_END: Final = struct.Struct(">QBB")
_TAG: Final = struct.Struct(">Q")

_HEADER_MARK: Final = FRAME_END << 24 | HEADER_FRAME << 16
_BODY_MARK: Final = FRAME_END << 24 | BODY_FRAME << 16
_BASIC: Final = 60 << 16
#: Payload of a method with a tag and bits.
_SETTLEMENT_SIZE: Final = 13
_SETTLEMENT_FRAME: Final = _SETTLEMENT_SIZE + FRAME_OVERHEAD

_PUBLISH_ID: Final = BasicPublish.id
_ACK_ID: Final = BasicAck.id
_NACK_ID: Final = BasicNack.id


#: A frame that was cut is put together with all that came after it, unless it is larger than this.
_JOIN_MOST: Final = 4096


def _hot_max(limits: Limits) -> int:
    """The most bytes of header and body frames that no limit can object to."""
    return min(limits.frame_max or limits.piece_from, limits.piece_from, limits.body_max)


def _settlement(method_id: int, channel: int, tag: int, bits: int) -> Item:
    if method_id == _NACK_ID:
        return NACK, channel, tag, bits & 1 == 1, bits & 2 == 2
    return REJECT, channel, tag, bits & 1 == 1


class Decoder:
    """What both roles share; use `ServerDecoder` or `ClientDecoder`."""

    __slots__ = (
        "_assembler",
        "_chunks",
        "_has_greeted",
        "_have",
        "_hot_max",
        "_interned",
        "_is_over",
        "_limits",
        "_need",
    )

    role: ClassVar[Role]
    #: The one content, and the settlements beside ack, that come often to this role.
    _content_id: ClassVar[int]
    _settlement_ids: ClassVar[frozenset[int]]

    def __init__(self, limits: Limits | None = None, interned: Interned | None = None) -> None:
        self._limits = limits or Limits()
        self._interned = interned or Interned(self._limits.depth_max)
        self._assembler = Assembler(self.role, self._limits, self._interned)
        self._hot_max = _hot_max(self._limits)
        #: The beginning of a frame that is not complete, and how many bytes it takes to try again.
        self._chunks: list[bytes] = []
        self._have = 0
        self._need = 0
        self._has_greeted = False
        #: Nothing more is read: the greeting was refused, or frames cannot be told apart any more.
        self._is_over = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._assembler}, {self._have} bytes kept, over: {self._is_over}>"

    def receive(self, data: bytes) -> list[Item]:
        """All items that are complete with these bytes; the rest is kept for the next call.

        After a FAILURE on channel 0 nothing but connection.close and close-ok is handed out, after one on
        another channel nothing but channel.close and close-ok there: send the failure's reply and wait.
        """
        items: list[Item] = []
        if self._is_over:
            return items
        at = 0
        if self._chunks:
            missing = self._need - self._have
            if len(data) < missing:
                self._chunks.append(data)
                self._have += len(data)
                return items
            if self._need > _JOIN_MOST:
                # Only the frame that was cut is put together: a read may be many times as large.
                self._one(self._joined(data[:missing]), 0, items)
                at = missing
            else:
                data = self._joined(data)
        if not self._is_over:
            at = self._walk(data, at, items)
        self._have = len(data) - at
        if self._have:
            self._chunks.append(data[at:])
        return items

    def _joined(self, last: bytes) -> bytes:
        self._chunks.append(last)
        data = b"".join(self._chunks)
        self._chunks.clear()
        return data

    def tune(self, *, frame_max: int, channel_max: int) -> None:
        """Takes the limits the handshake settled on; zero is none."""
        self._limits = limits = replace(self._limits, frame_max=frame_max, channel_max=channel_max)
        self._hot_max = _hot_max(limits)
        self._assembler.limit(limits)

    def discard(self, channel: int) -> None:
        """Ignores all but close and close-ok on this channel, or on the connection if it is 0.

        Call it when you send a close for a reason of your own.
        """
        self._assembler.discard(channel)

    def _walk(self, data: bytes, at: int, items: list[Item]) -> int:
        """Takes every complete frame from a position on; the position after the last one."""
        if not self._has_greeted:
            at = self._greet(data, items)
        while self._has_greeted:
            start = self._hot(data, at, items)
            at = self._one(data, start, items)
            if at == start:
                break
        return at

    def _greet(self, data: bytes, items: list[Item]) -> int:
        """Takes the first eight bytes of a connection, if they are no frame; the position after them."""
        raise NotImplementedError

    def _refuse(self, header: bytes, data: bytes, items: list[Item]) -> int:
        self._is_over = True
        items.append((REFUSED, 0, header))
        return len(data)

    def _hot(self, data: bytes, at: int, items: list[Item]) -> int:  # noqa: C901, PLR0911, PLR0912, PLR0915
        # The one long function, because a call costs a good part of the work: 1.2 µs a publish, 0.45 µs an
        # ack (bench/wire.py).
        # Whatever is not plainly as expected returns its position, for the Assembler to judge.
        ready = self._assembler.ready
        interned = self._interned
        publish_args, deliver_args = interned.publish_args, interned.deliver_args
        known_properties = interned.properties
        content_id, settlement_ids, hot_max = self._content_id, self._settlement_ids, self._hot_max
        unpack_method, unpack_header, unpack_body = (
            _METHOD.unpack_from,
            _HEADER.unpack_from,
            _BODY.unpack_from,
        )
        append: Any = items.append
        args: PublishArgs | None = None
        properties: BasicProperties | None = None
        channel = body_size = size_before = whole = skip = 0
        same = b""
        try:
            while True:
                if same:
                    # A publisher's next message often has the same bytes up to its body: 0.4 µs, not 1.2.
                    if data.startswith(same, at) and data[at + whole - 1] == FRAME_END:
                        append((PUBLISH, channel, args, properties, data[at + skip : at + whole], body_size))
                        at += whole
                        continue
                    same = b""
                kind, channel, size, method_id = unpack_method(data, at)
                if kind != METHOD_FRAME or channel not in ready:
                    return at
                if method_id == content_id:
                    header_at = at + size + 8
                    mark, header_size, basic, body_size = unpack_header(data, header_at - 1)
                    if mark != _HEADER_MARK + channel or basic != _BASIC:
                        return at
                    end = header_at + header_size + 8
                    raw_properties = data[header_at + 19 : end - 1]
                    if body_size:
                        mark, frame_size = unpack_body(data, end - 1)
                        if mark != _BODY_MARK + channel or frame_size != body_size:
                            return at
                        end += body_size + 8
                    if data[end - 1] != FRAME_END or end - header_at > hot_max:
                        return at
                    before = properties
                    properties = known_properties.get(raw_properties)
                    if properties is None:
                        properties = interned.parse_properties(raw_properties)
                    if method_id == _PUBLISH_ID:
                        raw = data[at + 11 : header_at - 1]
                        args_before = args
                        args = publish_args.get(raw) or interned.parse_publish(raw)
                        append((PUBLISH, channel, args, properties, data[header_at:end], body_size))
                        if properties is before and args is args_before and body_size == size_before:
                            same = data[at : end - body_size - 1]
                            whole = end - at
                            skip = header_at - at
                        size_before = body_size
                    else:
                        # The delivery tag is cut out of the arguments, since it is never the same.
                        tag_at = at + 12 + data[at + 11]
                        raw = data[at + 11 : tag_at] + data[tag_at + 8 : header_at - 1]
                        to = deliver_args.get(raw) or interned.parse_deliver(raw)
                        tag = _TAG.unpack_from(data, tag_at)[0]
                        append((DELIVER, channel, to, tag, properties, data[header_at:end], body_size))
                    at = end
                elif method_id == _ACK_ID or method_id in settlement_ids:
                    tag, bits, mark = _TAG_BITS_END.unpack_from(data, at + 11)
                    if size != _SETTLEMENT_SIZE or mark != FRAME_END:
                        return at
                    if method_id == _ACK_ID:
                        append((ACK, channel, tag, bits & 1 == 1))
                    else:
                        append(_settlement(method_id, channel, tag, bits))
                    at += _SETTLEMENT_FRAME
                else:
                    return at
        except (struct.error, IndexError, Malformed):
            return at  # no more complete frames, or one for the Assembler to refuse

    def _one(self, data: bytes, at: int, items: list[Item]) -> int:
        """Takes the frame at a position if it is complete; the position after it, else the same."""
        channel, end = 0, len(data)
        try:
            kind, channel, end = self._frame(data, at)
            if end > at:
                self._assembler.take(kind, channel, data, at, end, items)
        except Breach as breach:
            self._fail(breach, channel, items)
        return len(data) if self._is_over else end

    def _frame(self, data: bytes, at: int) -> tuple[int, int, int]:
        """Type, channel and end of the frame at a position; it ends where it begins if not all is there."""
        if len(data) - at < _FRAME.size:
            self._need = _FRAME.size
            return 0, 0, at
        kind, channel, size = _FRAME.unpack_from(data, at)
        end = at + size + FRAME_OVERHEAD
        # A payload may be as large as a frame: clients are often off by the eight bytes around it, and
        # RabbitMQ lets them (rabbit_reader, FRAME_SIZE_FUDGE).
        if size > (self._limits.frame_max or size):
            raise Breach(ReplyCode.FRAME_ERROR, f"frame of {size} bytes is above frame-max")
        if end > len(data):
            self._need = end - at
            return 0, 0, at
        if data[end - 1] != FRAME_END:
            raise Breach(ReplyCode.FRAME_ERROR, "no frame-end octet where the frame ends")
        return kind, channel, end

    def _fail(self, breach: Breach, channel: int, items: list[Item]) -> None:
        failure = breach.failure(channel)
        if not self._assembler.is_closing:
            items.append((FAILURE, failure.channel, failure))
        self._assembler.discard(failure.channel)
        # Where frames end is no longer known after a frame error (§4.2.3): what follows is noise.
        self._is_over = failure.code is ReplyCode.FRAME_ERROR


class ServerDecoder(Decoder):
    """What a client says, from its protocol header on."""

    __slots__ = ()

    role = Role.SERVER
    _content_id = BasicPublish.id
    _settlement_ids = frozenset((BasicNack.id, BasicReject.id))

    def _greet(self, data: bytes, items: list[Item]) -> int:
        greeting = data[:8]
        if not any(header.startswith(greeting) for header in ACCEPTED_HEADERS):
            # §4.2.2: answer with the header that would have been right, then close.
            return self._refuse(PROTOCOL_HEADER, data, items)
        self._need = len(PROTOCOL_HEADER)
        if len(greeting) < self._need:
            return 0
        self._has_greeted = True
        items.append((GREETING, 0))
        return self._need


class ClientDecoder(Decoder):
    """What a server says."""

    __slots__ = ("_in_runs",)

    role = Role.CLIENT
    _content_id = BasicDeliver.id
    _settlement_ids = frozenset((BasicNack.id,))

    def __init__(self, limits: Limits | None = None, interned: Interned | None = None) -> None:
        super().__init__(limits, interned or Kinds((limits or Limits()).depth_max))
        #: Channels whose deliveries are handed out in runs.
        self._in_runs: set[int] = set()

    def in_runs(self, channel: int, *, wanted: bool = True) -> None:
        """Hands out the deliveries of a channel as DELIVERIES, where they follow each other; or no more."""
        (self._in_runs.add if wanted else self._in_runs.discard)(channel)

    def _hot(self, data: bytes, at: int, items: list[Item]) -> int:
        if self._in_runs:
            channels = self._in_runs & self._assembler.ready
            at = runs_in(data, at, channels, self._interned, self._hot_max, items)
        return super()._hot(data, at, items)

    def _greet(self, data: bytes, items: list[Item]) -> int:
        # A server that speaks no version of ours answers with a header instead of a frame (§4.2.2).
        self._need = len(PROTOCOL_HEADER)
        if len(data) >= self._need:
            if data.startswith(b"AMQP"):
                return self._refuse(data[:8], data, items)
            self._has_greeted = True
        return 0
