"""What a Decoder hands out: plain tuples, the kind first and the channel second.

No object is made for a message beyond its tuple and its frames (a slotted event costs six times its tuple).
Compare kinds with ``is``; a type checker then knows the rest of the tuple. Types only, no behaviour but a
Failure's translation into the method that answers it.

=================  =====================================================================================
HEARTBEAT          channel 0
GREETING           channel 0: the peer spoke a protocol header we speak (server role)
REFUSED            channel 0, bytes: the header to answer with before closing (server role),
                   or the version the server would have spoken (client role)
METHOD             channel, method object
PUBLISH            channel, PublishArgs, BasicProperties, frames, body size
DELIVER            channel, DeliverArgs, delivery tag, BasicProperties, frames, body size
DELIVERIES         channel, DeliverArgs, the first delivery tag, list of frames: one after the other, tags
                   counting up, property lists unread; only on channels of which this is wanted
GET_OK, RETURN     channel, method object, BasicProperties, frames, body size
ACK                channel, delivery tag, multiple
NACK               channel, delivery tag, multiple, requeue
REJECT             channel, delivery tag, requeue
BODY_START         channel, head, BasicProperties, body size: a large content; the head is the beginning of
                   the tuple it would have been, up to its properties
BODY_PIECE         channel, bytes
BODY_END           channel
FAILURE            channel (0: the connection), Failure
=================  =====================================================================================

``frames`` are the content's header and body frames exactly as they came (see `content.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from penstock.wire.amqp.methods import BasicGetOk, BasicReturn, ChannelClose, ConnectionClose, Method
from penstock.wire.amqp.properties import BasicProperties

if TYPE_CHECKING:
    from penstock.wire.amqp.constants import ReplyCode

__all__ = [
    "ACK",
    "BODY_END",
    "BODY_PIECE",
    "BODY_START",
    "DELIVER",
    "DELIVERIES",
    "FAILURE",
    "GET_OK",
    "GREETING",
    "HEARTBEAT",
    "METHOD",
    "NACK",
    "PUBLISH",
    "REFUSED",
    "REJECT",
    "RETURN",
    "DeliverArgs",
    "Failure",
    "Head",
    "Item",
    "Kind",
    "PublishArgs",
]


class Kind(IntEnum):
    """The first of every item."""

    HEARTBEAT = 1
    GREETING = 2
    REFUSED = 3
    METHOD = 4
    PUBLISH = 5
    DELIVER = 6
    GET_OK = 7
    RETURN = 8
    ACK = 9
    NACK = 10
    REJECT = 11
    BODY_START = 12
    BODY_PIECE = 13
    BODY_END = 14
    FAILURE = 15
    DELIVERIES = 16


HEARTBEAT: Final = Kind.HEARTBEAT
GREETING: Final = Kind.GREETING
REFUSED: Final = Kind.REFUSED
METHOD: Final = Kind.METHOD
PUBLISH: Final = Kind.PUBLISH
DELIVER: Final = Kind.DELIVER
GET_OK: Final = Kind.GET_OK
RETURN: Final = Kind.RETURN
ACK: Final = Kind.ACK
NACK: Final = Kind.NACK
REJECT: Final = Kind.REJECT
BODY_START: Final = Kind.BODY_START
BODY_PIECE: Final = Kind.BODY_PIECE
BODY_END: Final = Kind.BODY_END
FAILURE: Final = Kind.FAILURE
DELIVERIES: Final = Kind.DELIVERIES


class PublishArgs(NamedTuple):
    """Where a message goes. Interned: the same bytes again give the same object, so it makes a quick key."""

    exchange: str
    routing_key: str
    mandatory: bool = False
    immediate: bool = False


class DeliverArgs(NamedTuple):
    """To whom a message comes, and from where. Interned; the delivery tag is beside it."""

    consumer_tag: str
    redelivered: bool
    exchange: str
    routing_key: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The peer broke the standard: with which code, and in which method, zero if in none."""

    code: ReplyCode
    detail: str
    channel: int = 0
    class_id: int = 0
    method_id: int = 0

    def reply(self) -> tuple[int, ConnectionClose | ChannelClose]:
        """The channel and the close to send on it."""
        close = ChannelClose if self.channel else ConnectionClose
        return self.channel, close(self.code, self.code.text(self.detail), self.class_id, self.method_id)


Head = (
    tuple[Literal[Kind.PUBLISH], int, PublishArgs]
    | tuple[Literal[Kind.DELIVER], int, DeliverArgs, int]
    | tuple[Literal[Kind.GET_OK], int, BasicGetOk]
    | tuple[Literal[Kind.RETURN], int, BasicReturn]
)
Item = (
    tuple[Literal[Kind.HEARTBEAT], int]
    | tuple[Literal[Kind.GREETING], int]
    | tuple[Literal[Kind.REFUSED], int, bytes]
    | tuple[Literal[Kind.METHOD], int, Method]
    | tuple[Literal[Kind.PUBLISH], int, PublishArgs, BasicProperties, bytes, int]
    | tuple[Literal[Kind.DELIVER], int, DeliverArgs, int, BasicProperties, bytes, int]
    | tuple[Literal[Kind.DELIVERIES], int, DeliverArgs, int, list[bytes]]
    | tuple[Literal[Kind.GET_OK], int, BasicGetOk, BasicProperties, bytes, int]
    | tuple[Literal[Kind.RETURN], int, BasicReturn, BasicProperties, bytes, int]
    | tuple[Literal[Kind.ACK], int, int, bool]
    | tuple[Literal[Kind.NACK], int, int, bool, bool]
    | tuple[Literal[Kind.REJECT], int, int, bool]
    | tuple[Literal[Kind.BODY_START], int, Head, BasicProperties, int]
    | tuple[Literal[Kind.BODY_PIECE], int, bytes]
    | tuple[Literal[Kind.BODY_END], int]
    | tuple[Literal[Kind.FAILURE], int, Failure]
)
