"""Replies: what a visit is answered with, and which error is which status.

A refusal is `{"error": word, "reason": sentence}`, as RabbitMQ's management plugin has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock import errors
from penstock.errors import PenstockError
from penstock.server.amqp.errors import ChannelFault
from penstock.server.amqp.inventory import plain
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.errors import CannotEncode, Malformed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

__all__ = [
    "DONE",
    "JSON",
    "MADE",
    "OURS",
    "ApiFault",
    "Reply",
    "as_json",
    "fault_of",
    "json_reply",
    "refusal",
]

JSON: Final = "application/json"
#: From here on it is our own fault, and the log is told more than whoever asked.
OURS: Final = 500

#: The word for a status; RabbitMQ's where it has one (rabbit_mgmt_util.erl).
WORDS: Final = {
    400: "bad_request",
    401: "not_authorised",
    403: "not_authorised",
    404: "Object Not Found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    413: "body_too_large",
    415: "unsupported_media_type",
    421: "misdirected_request",
    429: "too_many_requests",
    500: "internal_error",
    503: "unavailable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer: all of its body, or the body as it comes."""

    status: int = 200
    kind: str = JSON
    body: bytes = b""
    stream: AsyncIterator[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Each is a header Set-Cookie.
    cookies: tuple[str, ...] = ()


#: Something is there now that was not, and something was changed or is gone: nothing more to say.
MADE: Final = Reply(status=201)
DONE: Final = Reply(status=204)


class ApiFault(PenstockError):
    """A visit that cannot be answered as it should; with its status."""

    def __init__(self, status: int, reason: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.headers: Mapping[str, str] = headers or {}


#: AMQP's reply codes over HTTP; what is not here is the asker's mistake all the same (rabbit_mgmt_util.erl).
CODES: Final = {
    ReplyCode.ACCESS_REFUSED: 403,
    ReplyCode.NOT_FOUND: 404,
    ReplyCode.INTERNAL_ERROR: 500,
}
#: From the special to the general: the first that fits says the status.
STATUSES: Final[tuple[tuple[type[PenstockError], int], ...]] = (
    (errors.NotPermitted, 403),
    (errors.UnknownName, 404),
    (errors.UnknownVirtualHost, 404),
    (errors.UnknownUser, 404),
    (errors.SecurityError, 400),
    (errors.WiringError, 400),
    (errors.SettingsError, 400),
    (CannotEncode, 400),
    (Malformed, 400),
    (CannotEncode, 400),
    (errors.UnknownDeadLetter, 404),
    (errors.MessagingError, 400),
    (errors.Unroutable, 400),
    (errors.ClientError, 503),
    (errors.StoreError, 503),
)


def fault_of(error: PenstockError) -> ApiFault:
    """The fault that tells whoever asked of an error they made, or met."""
    if isinstance(error, ApiFault):
        return error
    if isinstance(error, ChannelFault):
        return ApiFault(CODES.get(error.code, 400), str(error))
    return ApiFault(next((status for kind, status in STATUSES if isinstance(error, kind)), OURS), str(error))


def refusal(fault: ApiFault) -> Reply:
    """What went wrong: a word for programs, and a sentence for people."""
    said = {"error": WORDS.get(fault.status, "error"), "reason": str(fault)}
    return Reply(status=fault.status, body=as_json(said), headers=fault.headers)


_encode = msgspec.json.Encoder(enc_hook=str).encode


def as_json(found: Any) -> bytes:
    """Plain values as JSON; AMQP's texts may be any bytes, and those are made readable on the way."""
    try:
        return _encode(found)
    except UnicodeEncodeError:
        return _encode(plain(found))


def json_reply(found: Any, status: int = 200) -> Reply:
    """Something to read."""
    return Reply(status=status, body=as_json(found))
