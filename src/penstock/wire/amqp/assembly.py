"""One frame at a time, of any kind: what the hot loops in `decoder.py` leave over.

Which frames may follow which is the table `Assembler.STEPS`; a missing pair is the standard's 505. What
breaks the standard raises Breach, which the Decoder turns into an item. Knows no buffers and no reads.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.wire.amqp.constants import (
    BODY_FRAME,
    CONNECTION_CLASS,
    FRAME_OVERHEAD,
    HEADER_FRAME,
    HEARTBEAT_FRAME,
    METHOD_FRAME,
    ReplyCode,
)
from penstock.wire.amqp.content import body_frames
from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.items import BODY_END, BODY_PIECE, BODY_START, HEARTBEAT, METHOD, Failure
from penstock.wire.amqp.method_items import item_of
from penstock.wire.amqp.methods import (
    METHODS,
    ChannelClose,
    ChannelCloseOk,
    ConnectionClose,
    ConnectionCloseOk,
    Method,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wire.amqp.constants import Role
    from penstock.wire.amqp.interned import Interned
    from penstock.wire.amqp.items import Item
    from penstock.wire.amqp.limits import Limits

    Step = Callable[["Assembler", int, bytes, int, int, list[Item]], None]

__all__ = ["Assembler", "Breach", "Expecting"]

_METHOD_ID: Final = struct.Struct(">I")
_CONTENT: Final = struct.Struct(">IQ")
#: Class id 60 and weight 0.
_BASIC: Final = 60 << 16
#: Bytes of a content header's payload without any property: class, weight, body size, flags.
_LEAST_HEADER: Final = 14
_CLOSES: Final[dict[bytes, type[Method]]] = {
    _METHOD_ID.pack(cls.id): cls for cls in (ChannelClose, ChannelCloseOk, ConnectionClose, ConnectionCloseOk)
}


class Breach(Exception):
    """The peer broke the standard."""

    def __init__(self, code: ReplyCode, detail: str, method_id: int = 0) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.method_id = method_id

    def failure(self, channel: int) -> Failure:
        """The same as a value; a hard error is the connection's, wherever it happened."""
        scope = 0 if self.code.ends_connection else channel
        return Failure(self.code, self.detail, scope, self.method_id >> 16, self.method_id & 0xFFFF)


class Expecting(Enum):
    """What a channel waits for."""

    METHOD = auto()
    HEADER = auto()
    BODY = auto()
    #: The rest of a body that is handed out as it comes.
    PIECES = auto()
    #: Nothing but the peer's close or close-ok: a failure was reported.
    CLOSE = auto()


class _Channel:
    """A channel in the middle of a content, or one that is being closed."""

    __slots__ = ("body", "expecting", "head", "header", "left", "method_id", "properties", "size")

    def __init__(self, expecting: Expecting, method_id: int = 0, head: tuple[Any, ...] = ()) -> None:
        self.expecting = expecting
        self.method_id = method_id
        #: The beginning of the item this will be.
        self.head = head
        self.header = b""
        self.properties: Any = None
        self.size = 0
        self.left = 0
        self.body = bytearray()


class Assembler:
    """The state of every channel of one connection."""

    __slots__ = ("_channels", "_interned", "_limits", "_reserved", "_role", "is_closing", "ready")

    def __init__(self, role: Role, limits: Limits, interned: Interned) -> None:
        self._role = role
        self._limits = limits
        self._interned = interned
        #: Only channels that do not simply wait for a method are here.
        self._channels: dict[int, _Channel] = {}
        #: Bytes promised to contents that are being gathered.
        self._reserved = 0
        #: Nothing but the connection's close is taken any more.
        self.is_closing = False
        #: Channels known to be legal and waiting for a method: the hot loops' one question.
        self.ready: set[int] = set()

    def __repr__(self) -> str:
        unsettled = {number: channel.expecting.name for number, channel in self._channels.items()}
        return f"<Assembler {len(self.ready)} ready, {unsettled}, {self._reserved} bytes reserved>"

    def limit(self, limits: Limits) -> None:
        """Takes other limits from here on."""
        self._limits = limits

    def take(self, kind: int, channel: int, data: bytes, at: int, end: int, items: list[Item]) -> None:
        """One complete frame, `data[at:end]`.

        Raises:
            Breach: it is not one the standard allows here.
        """
        if self.is_closing and channel:
            return
        if channel > self._limits.channel_max:
            raise Breach(ReplyCode.CHANNEL_ERROR, f"channel {channel} is above channel-max")
        waiting = self._channels.get(channel)
        step = self.STEPS.get((waiting.expecting if waiting else Expecting.METHOD, kind))
        if step is None:
            if self.is_closing:
                return
            raise _unexpected(kind, waiting)
        step(self, channel, data, at, end, items)

    def discard(self, channel: int) -> None:
        """Ignores all but close and close-ok on a channel, or on all of them if it is channel 0."""
        if channel:
            self.ready.discard(channel)
        else:
            self.is_closing = True
            self.ready.clear()
            self._channels.clear()
            self._reserved = 0
        self._release(channel)
        self._channels[channel] = _Channel(Expecting.CLOSE)

    # The steps, one for each pair of what is expected and what comes.

    def _heartbeat(self, channel: int, _data: bytes, at: int, end: int, items: list[Item]) -> None:
        if channel:  # §4.2.3
            raise Breach(ReplyCode.COMMAND_INVALID, f"heartbeat on channel {channel}")
        if end - at != FRAME_OVERHEAD:
            raise Breach(ReplyCode.FRAME_ERROR, "heartbeat with a payload")
        items.append((HEARTBEAT, 0))

    def _method(self, channel: int, data: bytes, at: int, end: int, items: list[Item]) -> None:
        method_id = self._permitted(channel, data, at, end)
        arguments = data[at + 11 : end - 1]
        try:
            item = item_of(method_id, channel, arguments, self._interned, self._limits.depth_max)
        except Malformed as exc:
            raise Breach(ReplyCode.SYNTAX_ERROR, str(exc), method_id) from exc
        if METHODS[method_id].has_content:
            self._channels[channel] = _Channel(Expecting.HEADER, method_id, item)
            self.ready.discard(channel)
        else:
            items.append(item)
            self._settle(channel)

    def _header(self, channel: int, data: bytes, at: int, end: int, items: list[Item]) -> None:
        waiting = self._channels[channel]
        if end - at - FRAME_OVERHEAD < _LEAST_HEADER:
            raise Breach(ReplyCode.FRAME_ERROR, "content header too short", waiting.method_id)
        class_and_weight, size = _CONTENT.unpack_from(data, at + 7)
        if class_and_weight != _BASIC:  # §4.2.6.1
            raise Breach(ReplyCode.FRAME_ERROR, "content header of another class", waiting.method_id)
        if size > self._limits.body_max:
            raise Breach(ReplyCode.CONTENT_TOO_LARGE, f"a body of {size} bytes", waiting.method_id)
        waiting.properties = self._properties(data[at + 19 : end - 1], waiting.method_id)
        waiting.size = waiting.left = size
        is_too_much = self._reserved + size + end - at > self._limits.buffer_max
        # An empty body has no pieces, and so no end to wait for.
        if size > self._limits.piece_from or (size and is_too_much):
            waiting.expecting = Expecting.PIECES
            items.append((BODY_START, channel, waiting.head, waiting.properties, size))
            return
        waiting.header = data[at:end]
        waiting.expecting = Expecting.BODY
        self._reserved += size + len(waiting.header)
        self._maybe_finish(channel, waiting, items)

    def _body(self, channel: int, data: bytes, at: int, end: int, items: list[Item]) -> None:
        waiting = self._channels[channel]
        self._count(waiting, end - at - FRAME_OVERHEAD)
        if waiting.left or waiting.body:
            # Payloads, not frames: a body cut into single bytes must not keep nine times its size.
            waiting.body += data[at + 7 : end - 1]
            self._maybe_finish(channel, waiting, items)
        else:
            self._finish(channel, waiting, data[at:end], items)

    def _piece(self, channel: int, data: bytes, at: int, end: int, items: list[Item]) -> None:
        waiting = self._channels[channel]
        self._count(waiting, end - at - FRAME_OVERHEAD)
        items.append((BODY_PIECE, channel, data[at + 7 : end - 1]))
        if not waiting.left:
            items.append((BODY_END, channel))
            self._settle(channel)

    def _close(self, channel: int, data: bytes, at: int, end: int, items: list[Item]) -> None:
        cls = _CLOSES.get(data[at + 7 : at + 11])
        if cls is None or (cls.id >> 16 == CONNECTION_CLASS) is (channel > 0):
            return
        with suppress(Malformed):
            items.append((METHOD, channel, cls.codec.decode(data[at + 11 : end - 1])))
        if cls is ChannelCloseOk:
            self._settle(channel)

    def _drop(self, _channel: int, _data: bytes, _at: int, _end: int, _items: list[Item]) -> None:
        """A frame of a channel that is being closed (reference: channel.close)."""

    # What the steps share.

    def _permitted(self, channel: int, data: bytes, at: int, end: int) -> int:
        """The id of a method that may come on this channel to this role."""
        if end - at < FRAME_OVERHEAD + 4:
            raise Breach(ReplyCode.FRAME_ERROR, "method frame too short")
        method_id: int = _METHOD_ID.unpack_from(data, at + 7)[0]
        cls = METHODS.get(method_id)
        if cls is None:
            raise Breach(ReplyCode.NOT_IMPLEMENTED, "unknown method", method_id)
        is_connection = method_id >> 16 == CONNECTION_CLASS
        if is_connection and channel:  # §4.2.3
            raise Breach(ReplyCode.COMMAND_INVALID, f"{cls.name} on channel {channel}", method_id)
        if not is_connection and not channel:
            raise Breach(ReplyCode.CHANNEL_ERROR, f"{cls.name} on channel 0", method_id)
        if not cls.to & self._role:
            raise Breach(ReplyCode.COMMAND_INVALID, f"{cls.name} is not for this end", method_id)
        return method_id

    def _properties(self, raw: bytes, method_id: int) -> Any:
        known = self._interned.properties.get(raw)
        if known is not None:
            return known
        try:
            return self._interned.parse_properties(raw)
        except Malformed as exc:
            raise Breach(ReplyCode.SYNTAX_ERROR, str(exc), method_id) from exc

    def _count(self, waiting: _Channel, size: int) -> None:
        waiting.left -= size
        if waiting.left < 0:
            raise Breach(ReplyCode.FRAME_ERROR, "more body than the header said", waiting.method_id)

    def _maybe_finish(self, channel: int, waiting: _Channel, items: list[Item]) -> None:
        if not waiting.left:
            self._finish(channel, waiting, body_frames(channel, waiting.body, self._limits.frame_max), items)

    def _finish(self, channel: int, waiting: _Channel, body: bytes, items: list[Item]) -> None:
        items.append((*waiting.head, waiting.properties, waiting.header + body, waiting.size))
        self._settle(channel)

    def _release(self, channel: int) -> None:
        waiting = self._channels.pop(channel, None)
        if waiting and waiting.header:
            self._reserved -= waiting.size + len(waiting.header)

    def _settle(self, channel: int) -> None:
        """Back to waiting for a method."""
        self._release(channel)
        if channel:
            self.ready.add(channel)

    #: Which frame may come when (§4.2.6), and what takes it. What is not here is unexpected.
    STEPS: ClassVar[dict[tuple[Expecting, int], Step]] = {
        (Expecting.METHOD, METHOD_FRAME): _method,
        (Expecting.METHOD, HEARTBEAT_FRAME): _heartbeat,
        (Expecting.HEADER, HEADER_FRAME): _header,
        (Expecting.BODY, BODY_FRAME): _body,
        (Expecting.PIECES, BODY_FRAME): _piece,
        (Expecting.CLOSE, METHOD_FRAME): _close,
        (Expecting.CLOSE, HEADER_FRAME): _drop,
        (Expecting.CLOSE, BODY_FRAME): _drop,
        (Expecting.CLOSE, HEARTBEAT_FRAME): _drop,
    }


def _unexpected(kind: int, waiting: _Channel | None) -> Breach:
    expected = waiting.expecting if waiting else Expecting.METHOD
    method_id = waiting.method_id if waiting else 0
    if kind not in {METHOD_FRAME, HEADER_FRAME, BODY_FRAME, HEARTBEAT_FRAME}:
        return Breach(ReplyCode.FRAME_ERROR, f"unknown frame type {kind}", method_id)
    return Breach(
        ReplyCode.UNEXPECTED_FRAME, f"frame of type {kind} while expecting {expected.name}", method_id
    )
