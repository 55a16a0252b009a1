"""The numbers of AMQP 0-9-1: frame types, limits, roles and reply codes with their scope.

Data only. Nothing here decodes, encodes or decides.
"""

from __future__ import annotations

from enum import Flag, IntEnum
from typing import Final

__all__ = [
    "ACCEPTED_HEADERS",
    "BODY_FRAME",
    "CONNECTION_CLASS",
    "DEFAULT_FRAME_MAX",
    "FRAME_END",
    "FRAME_MIN_SIZE",
    "FRAME_OVERHEAD",
    "HEADER_FRAME",
    "HEARTBEAT_FRAME",
    "METHOD_FRAME",
    "PROTOCOL_HEADER",
    "ReplyCode",
    "Role",
    "clipped",
]

#: AMQP 0-9-1 §4.2.2: what a client says first, and what a server answers to any other greeting.
PROTOCOL_HEADER: Final = b"AMQP\x00\x00\x09\x01"
#: 0-9 differs from 0-9-1 in nothing a client notices; RabbitMQ takes its header too (rabbit_reader).
ACCEPTED_HEADERS: Final = (PROTOCOL_HEADER, b"AMQP\x01\x01\x00\x09")

METHOD_FRAME: Final = 1
HEADER_FRAME: Final = 2
BODY_FRAME: Final = 3
HEARTBEAT_FRAME: Final = 8
#: The octet after every payload (§4.2.3).
FRAME_END: Final = 206
#: Bytes of a frame that are not payload: type 1, channel 2, size 4, end 1.
FRAME_OVERHEAD: Final = 8
#: Bytes; the least frame-max a peer may ask for (§4.2.3).
FRAME_MIN_SIZE: Final = 4096
#: Bytes; RabbitMQ's default, which most clients take as it comes.
DEFAULT_FRAME_MAX: Final = 131_072

#: The one class whose methods travel on channel 0.
CONNECTION_CLASS: Final = 10


class Role(Flag):
    """Which end of a connection; a method says to whose ends it may be sent."""

    SERVER = 1
    CLIENT = 2
    BOTH = SERVER | CLIENT


class ReplyCode(IntEnum):
    """Why a channel or connection is closed (§1.1 of the reference), or a message returned."""

    SUCCESS = 200
    CONTENT_TOO_LARGE = 311
    NO_ROUTE = 312
    NO_CONSUMERS = 313
    CONNECTION_FORCED = 320
    INVALID_PATH = 402
    ACCESS_REFUSED = 403
    NOT_FOUND = 404
    RESOURCE_LOCKED = 405
    PRECONDITION_FAILED = 406
    FRAME_ERROR = 501
    SYNTAX_ERROR = 502
    COMMAND_INVALID = 503
    CHANNEL_ERROR = 504
    UNEXPECTED_FRAME = 505
    RESOURCE_ERROR = 506
    NOT_ALLOWED = 530
    NOT_IMPLEMENTED = 540
    INTERNAL_ERROR = 541

    @property
    def ends_connection(self) -> bool:
        """The standard's hard errors; the soft ones close one channel."""
        return self in _HARD

    def text(self, detail: str) -> str:
        """The reply text as RabbitMQ writes it, ``NOT_FOUND - no queue 'x'``; some clients match on it."""
        return clipped(f"{self.name} - {detail}")


def clipped(text: str) -> str:
    """As much of a text as a short string holds: a reply must not fail for what the peer made us quote."""
    return text.encode("utf-8", "replace")[:255].decode("utf-8", "ignore")


_HARD: Final = frozenset(
    {
        ReplyCode.CONNECTION_FORCED,
        ReplyCode.INVALID_PATH,
        ReplyCode.FRAME_ERROR,
        ReplyCode.SYNTAX_ERROR,
        ReplyCode.COMMAND_INVALID,
        ReplyCode.CHANNEL_ERROR,
        ReplyCode.UNEXPECTED_FRAME,
        ReplyCode.RESOURCE_ERROR,
        ReplyCode.NOT_ALLOWED,
        ReplyCode.NOT_IMPLEMENTED,
        ReplyCode.INTERNAL_ERROR,
    }
)
