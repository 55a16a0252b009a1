"""What a gateway and its clients say to each other, and what a gateway hears from the channels. Pure.

A client sends `{room, route, msgId, clientCode, content}`, as in Keno Antigen, and gets
`{room, route, msgId, status, message, content}`. What is pushed has an `id` besides, by which every gateway
knows it.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from penstock.errors import InvalidMessage, RequestRefused
from penstock.messaging.tracing import TRACEPARENT, Trace
from penstock.workers.form import UserId  # noqa: TC001  a field is read by its annotation

__all__ = ["Fanned", "Push", "Reply", "Request", "encode", "read_fanned", "read_request"]

NOTHING: Final = msgspec.Raw(b"{}")

#: Names that a client makes up. They go into a job's id, of which AMQP has 255 bytes.
Code = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.:-]*$", max_length=40)]
MsgId = Code | int | None
Room = Annotated[str, msgspec.Meta(max_length=128)]
RouteName = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]


class Request(msgspec.Struct, frozen=True, rename="camel"):
    """What a client asks for."""

    route: RouteName
    room: Room = ""
    #: By which the client knows the reply.
    msg_id: MsgId = None
    #: The client's name for itself: the same after it has lost its connection and come again.
    client_code: Code = ""
    content: msgspec.Raw = NOTHING
    #: The trace that the request is part of, as W3C Trace Context has it, if the page knows one.
    traceparent: Annotated[str, msgspec.Meta(max_length=128)] = ""

    @property
    def trace(self) -> Trace | None:
        """That trace, if it can be read."""
        return Trace.maybe_in({TRACEPARENT: self.traceparent}) if self.traceparent else None


class Reply(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What it gets, from the gateway itself."""

    room: str = ""
    route: str = ""
    msg_id: str | int | None = None
    #: As HTTP's.
    status: int = 200
    message: str = ""
    content: Any = None

    @classmethod
    def to(cls, request: Request, status: int, *, message: str = "", content: Any = None) -> Reply:
        """The reply to a request."""
        return cls(
            room=request.room,
            route=request.route,
            msg_id=request.msg_id,
            status=status,
            message=message,
            content=content,
        )


class Fanned(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What gateways hear on a channel: Keno Antigen's `{route, user_id?, content}`, or with a room."""

    route: str = ""
    user_id: UserId | None = None
    room: str = ""
    content: msgspec.Raw = NOTHING
    # Of a reply: only the client that asked gets it.
    client_code: str = msgspec.field(default="", name="clientCode")
    msg_id: str | int | None = msgspec.field(default=None, name="msgId")
    status: int = 0
    message: str = ""


class Push(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A message as clients get it. The same bytes for all who do."""

    id: str
    route: str = ""
    room: str = ""
    msg_id: str | int | None = None
    status: int = 0
    message: str = ""
    content: msgspec.Raw

    @classmethod
    def of(cls, fanned: Fanned, id: str) -> Push:  # noqa: A002  what a message calls it
        """What clients get of a message."""
        return cls(
            id=id,
            route=fanned.route,
            room=fanned.room,
            msg_id=fanned.msg_id,
            status=fanned.status,
            message=fanned.message,
            content=fanned.content,
        )


encode: Final = msgspec.json.encode
_request: Final = msgspec.json.Decoder(Request).decode
_fanned: Final = msgspec.json.Decoder(Fanned).decode


def read_request(text: str | bytes, largest: int) -> Request:
    """What a client asks for.

    Raises:
        RequestRefused: it is too large, no JSON, or no request.
    """
    if isinstance(text, bytes):
        raise RequestRefused("a request is a text frame with JSON in it, this one is binary", status=400)
    if len(text) > largest:
        raise RequestRefused(f"a request has at most {largest} characters, this one {len(text)}", status=413)
    try:
        return _request(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise RequestRefused(f"this is no request: {exc}", status=400) from exc


def read_fanned(body: bytes) -> Fanned:
    """What a channel has brought.

    Raises:
        InvalidMessage: it is no message.
    """
    try:
        return _fanned(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise InvalidMessage(f"no message for clients can be read from it: {exc}") from exc
