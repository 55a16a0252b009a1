"""How much a peer may send. Zero is no limit, as on the wire."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.wire.amqp.constants import DEFAULT_FRAME_MAX
from penstock.wire.amqp.table import MAX_DEPTH

__all__ = ["Limits"]

_NO_CHANNEL_LIMIT = 65_535
_NO_SIZE_LIMIT = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a Decoder refuses beyond, and from where on it hands out a body in pieces."""

    #: Bytes of a whole frame, as tuned.
    frame_max: int = DEFAULT_FRAME_MAX
    #: The highest channel number; 2047 is RabbitMQ's default.
    channel_max: int = 2047
    #: Bytes of one body.
    body_max: int = 0
    #: Tables within tables.
    depth_max: int = MAX_DEPTH
    #: Bytes; a larger body is handed out as it comes.
    piece_from: int = 65_536
    #: Bytes of unfinished contents a connection may have gathered; beyond, new ones come in pieces.
    buffer_max: int = 16 * 1024 * 1024

    def __post_init__(self) -> None:
        for name, unlimited in (("channel_max", _NO_CHANNEL_LIMIT), ("body_max", _NO_SIZE_LIMIT)):
            object.__setattr__(self, name, getattr(self, name) or unlimited)
