"""A content is its own frames: the header frame and the body frames, as they came, in one bytes object.

They describe themselves, so nothing is kept beside them, and they can be sent again as they are while
channel and frame size allow. Knows frames and properties, not methods.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from penstock.wire.amqp.constants import BODY_FRAME, FRAME_END, FRAME_OVERHEAD, HEADER_FRAME
from penstock.wire.amqp.properties import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "bodies_of",
    "body_frames",
    "body_of",
    "body_size_of",
    "content_frames",
    "header_frame",
    "on_channel",
    "properties_of",
    "with_properties",
]

_FRAME: Final = struct.Struct(">BHI")
#: The end octet of the frame before it, too.
_NEXT_FRAME: Final = struct.Struct(">BBHI")
#: Type, channel, payload size; class and weight; body size (§4.2.6.1).
_HEADER: Final = struct.Struct(">BHIIQ")
_SIZES: Final = struct.Struct(">3xI4xQ")
#: Basic's class id, and the weight that is always zero.
_BASIC: Final = 60 << 16
_END: Final = bytes((FRAME_END,))
#: Where the property list begins in a header frame.
_PROPERTIES_AT: Final = 19


def header_frame(channel: int, properties: BasicProperties, body_size: int) -> bytes:
    """The frame before the body of a basic content."""
    raw = properties.raw
    return _HEADER.pack(HEADER_FRAME, channel, 12 + len(raw), _BASIC, body_size) + raw + _END


def body_frames(channel: int, body: bytes | bytearray | memoryview, frame_max: int) -> bytes:
    """A body, or a piece of one, cut to the frame size agreed; zero is no limit."""
    most = frame_max - FRAME_OVERHEAD if frame_max else len(body)
    parts: list[bytes | bytearray | memoryview] = []
    for at in range(0, len(body), most or 1):
        piece = body[at : at + most]
        parts += (_FRAME.pack(BODY_FRAME, channel, len(piece)), piece, _END)
    return b"".join(parts)


def content_frames(
    channel: int, properties: BasicProperties, body: bytes | bytearray | memoryview, frame_max: int
) -> bytes:
    """A whole content made anew."""
    size = len(body)
    if not size or (frame_max and size > frame_max - FRAME_OVERHEAD):
        return header_frame(channel, properties, size) + body_frames(channel, body, frame_max)
    # One body frame, the usual case, at a third of the price of the pieces above.
    raw = properties.raw
    header = _HEADER.pack(HEADER_FRAME, channel, 12 + len(raw), _BASIC, size)
    return b"".join((header, raw, _NEXT_FRAME.pack(FRAME_END, BODY_FRAME, channel, size), body, _END))


def properties_of(frames: bytes) -> BasicProperties:
    """The properties, which were checked when the frames came in."""
    return BasicProperties(frames[_PROPERTIES_AT : 7 + _SIZES.unpack_from(frames)[0]])


def body_size_of(frames: bytes) -> int:
    """The size the header says."""
    size: int = _SIZES.unpack_from(frames)[1]
    return size


def body_of(frames: bytes) -> bytes:
    """The body, in one piece."""
    header_size, body_size = _SIZES.unpack_from(frames)
    at = header_size + FRAME_OVERHEAD
    if len(frames) == at + body_size + FRAME_OVERHEAD:
        return frames[at + 7 : -1]
    pieces = []
    while at < len(frames):
        end = at + FRAME_OVERHEAD + _FRAME.unpack_from(frames, at)[2]
        pieces.append(frames[at + 7 : end - 1])
        at = end
    return b"".join(pieces)


def bodies_of(contents: Iterable[bytes]) -> list[bytes]:
    """The bodies of many, without a call for each."""
    sizes = _SIZES.unpack_from
    bodies = []
    for frames in contents:
        header_size, body_size = sizes(frames)
        at = header_size + 15
        # One body frame, the usual case.
        is_whole = len(frames) == at + body_size + 1
        bodies.append(frames[at:-1] if is_whole else body_of(frames))
    return bodies


def with_properties(frames: bytes, properties: BasicProperties) -> bytes:
    """The same body behind another header, on the same channel."""
    _, channel, header_size, _, body_size = _HEADER.unpack_from(frames)
    return header_frame(channel, properties, body_size) + frames[header_size + FRAME_OVERHEAD :]


def on_channel(frames: bytes, channel: int, frame_max: int) -> bytes:
    """The content as it travels on a channel: these very frames, if they can go as they are."""
    number = channel.to_bytes(2, "big")
    fits = not frame_max or len(frames) <= frame_max
    if fits and frames[1:3] == number:
        return frames
    header_size, body_size = _SIZES.unpack_from(frames)
    at = header_size + FRAME_OVERHEAD
    if fits and len(frames) == at + body_size + FRAME_OVERHEAD:
        # One body frame, the usual case: two channel numbers change, at half the price of a rebuild.
        return b"".join((b"\x02", number, frames[3 : at + 1], number, frames[at + 3 :]))
    header = b"".join((b"\x02", number, frames[3:at]))
    return header + body_frames(channel, body_of(frames), frame_max)
