"""The way out: methods, contents and settlements as bytes, appended to a list its owner joins once a write.

What is the same for every delivery of a consumer, or every publish of a channel, is encoded once and kept.
Knows no socket, no window and no queue. The caller's own mistakes raise CannotEncode.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from penstock.wire.amqp.constants import FRAME_END, FRAME_OVERHEAD, HEARTBEAT_FRAME, METHOD_FRAME
from penstock.wire.amqp.content import content_frames, on_channel
from penstock.wire.amqp.errors import CannotEncode
from penstock.wire.amqp.methods import BasicAck, BasicDeliver, BasicPublish
from penstock.wire.amqp.table import short_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wire.amqp.items import PublishArgs
    from penstock.wire.amqp.methods import Method
    from penstock.wire.amqp.properties import BasicProperties

__all__ = [
    "HEARTBEAT_BYTES",
    "DeliverEncoder",
    "PublishEncoder",
    "confirm_frames",
    "content_method_frames",
    "method_frame",
]

_METHOD: Final = struct.Struct(">BHII")
_TAG: Final = struct.Struct(">Q")
#: Type, channel, size, ids, tag, multiple, end: all of an ack.
_ACK: Final = struct.Struct(">BHIIQBB")
_ACK_SIZE: Final = 13
_END: Final = bytes((FRAME_END,))
#: Bytes before the properties in a header frame: class, weight and body size (§4.2.6.1).
_HEADER_FIELDS: Final = 12
#: Routes a consumer or channel remembers; full, it starts over.
_MOST_ROUTES: Final = 1024

#: A heartbeat is always these eight bytes (§4.2.7).
HEARTBEAT_BYTES: Final = bytes((HEARTBEAT_FRAME, 0, 0, 0, 0, 0, 0, FRAME_END))


def method_frame(channel: int, method: Method) -> bytes:
    """A method in its frame.

    Raises:
        CannotEncode: a field cannot hold its value.
    """
    arguments = method.codec.encode(method)
    return _METHOD.pack(METHOD_FRAME, channel, 4 + len(arguments), method.id) + arguments + _END


def content_method_frames(
    out: list[bytes], channel: int, method: Method, frames: bytes, frame_max: int
) -> None:
    """A method with the content that follows it: basic.return, basic.get-ok."""
    out += (method_frame(channel, method), on_channel(frames, channel, frame_max))


def confirm_frames(out: list[bytes], channel: int, tags: Sequence[int], lowest_open: int | None) -> None:
    """As few acks as say that these publishes are safe.

    Args:
        out: where the frames go.
        channel: the channel that published them.
        tags: confirmed with this call, rising.
        lowest_open: the lowest tag that is not settled even now, None if all are. What lies below it leaves
            as one ack with `multiple`.
    """
    below = len(tags) if lowest_open is None else bisect_left(tags, lowest_open)
    if below:
        out.append(_ack(channel, tags[below - 1], is_multiple=below > 1))
    out += [_ack(channel, tag, is_multiple=False) for tag in tags[below:]]


def _ack(channel: int, tag: int, *, is_multiple: bool) -> bytes:
    return _ACK.pack(METHOD_FRAME, channel, _ACK_SIZE, BasicAck.id, tag, is_multiple, FRAME_END)


class DeliverEncoder:
    """The deliveries of one consumer."""

    __slots__ = ("_channel", "_consumer", "_frame_max", "_header_start", "_last", "_parts", "_routes")

    def __init__(self, channel: int, consumer_tag: str, frame_max: int) -> None:
        self._channel = channel
        self._frame_max = frame_max or 1 << 62
        self._consumer = short_text(consumer_tag)
        self._header_start = b"\x02" + channel.to_bytes(2, "big")
        self._routes: dict[PublishArgs, tuple[bytes, bytes, bytes]] = {}
        #: The route of the last delivery and its parts: mostly the next one's too.
        self._last: PublishArgs | None = None
        self._parts = (b"", b"", b"")

    def deliver(
        self, out: list[bytes], tag: int, route: PublishArgs, frames: bytes, *, redelivered: bool
    ) -> None:
        """One delivery: the method around its tag, and the content as it came if it can go so."""
        if route is not self._last:
            self._parts = self._routes.get(route) or self._learn(route)
            self._last = route
        before, fresh, again = self._parts
        if frames[:3] != self._header_start or len(frames) > self._frame_max:
            frames = on_channel(frames, self._channel, self._frame_max)
        out += (before, _TAG.pack(tag), again if redelivered else fresh, frames)

    def _learn(self, route: PublishArgs) -> tuple[bytes, bytes, bytes]:
        """What stands before the tag; what follows it the first time, and when redelivered."""
        after = short_text(route[0]) + short_text(route[1]) + _END
        size = 4 + len(self._consumer) + 8 + len(after)  # after: one bit's octet more, one end octet less
        before = _METHOD.pack(METHOD_FRAME, self._channel, size, BasicDeliver.id) + self._consumer
        parts = before, b"\0" + after, b"\1" + after
        if len(self._routes) >= _MOST_ROUTES:
            self._routes.clear()
        self._routes[route] = parts
        return parts


class PublishEncoder:
    """The publishes of one channel."""

    __slots__ = ("_channel", "_frame_max", "_most", "_routes")

    def __init__(self, channel: int, frame_max: int) -> None:
        self._channel = channel
        self._frame_max = frame_max
        #: Bytes of properties, which must fit one frame with the fields before them.
        self._most = (frame_max or 1 << 32) - FRAME_OVERHEAD - _HEADER_FIELDS
        self._routes: dict[PublishArgs, bytes] = {}

    def publish(self, out: list[bytes], route: PublishArgs, properties: BasicProperties, body: bytes) -> None:
        """One message: the method, kept by its route, and the content in frames.

        Raises:
            CannotEncode: its headers are too large for a frame; a broker would end the connection.
        """
        if len(properties.raw) > self._most:
            size = len(properties.raw)
            raise CannotEncode(f"at most {self._most} bytes of headers fit a frame, not {size}")
        method = self._routes.get(route) or self._learn(route)
        out += (method, content_frames(self._channel, properties, body, self._frame_max))

    def forward(self, out: list[bytes], route: PublishArgs, frames: bytes) -> None:
        """One message whose content came in frames: they go as they came if they can."""
        method = self._routes.get(route) or self._learn(route)
        out += (method, on_channel(frames, self._channel, self._frame_max))

    def start(self, out: list[bytes], route: PublishArgs, header: bytes) -> None:
        """The beginning of a large message: its method and header frame; its body frames follow."""
        out += (self._routes.get(route) or self._learn(route), header)

    def _learn(self, route: PublishArgs) -> bytes:
        if len(self._routes) >= _MOST_ROUTES:
            self._routes.clear()
        frame = self._routes[route] = method_frame(self._channel, BasicPublish(*route))
        return frame
