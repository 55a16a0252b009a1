"""Replies: what the broker answers to a request, and which error is which status."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock import errors
from penstock.errors import PenstockError
from penstock.wire.amqp.errors import CannotEncode, Malformed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["HttpFault", "Reply", "fault_of", "json_reply", "refusal", "text_reply"]

_JSON: Final = "application/json"
_TEXT: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer: all of its body, or the body as it comes."""

    status: int = 200
    kind: str = _JSON
    body: bytes = b""
    #: Pieces of bytes, a list of them for each chunk.
    stream: AsyncGenerator[list[Any]] | None = None
    headers: tuple[tuple[str, str], ...] = ()


class HttpFault(PenstockError):
    """A request that cannot be answered as it should; with its status."""

    def __init__(self, status: int, text: str, *, kind: str = "", **more: Any) -> None:
        super().__init__(text)
        self.status = status
        #: The error that a client of ours raises.
        self.kind = kind
        #: What else that error says of itself.
        self.details: dict[str, Any] = {}
        #: Further fields of the Reply.
        self.more = more


#: From the special to the general: the first that fits says the status.
STATUSES: Final[tuple[tuple[type[PenstockError], int], ...]] = (
    (errors.NotPermitted, 403),
    (errors.UnknownName, 404),
    (errors.UnknownVirtualHost, 404),
    (errors.ReaderInUse, 409),
    (errors.CommitAhead, 409),
    (errors.NotAllowed, 409),
    (CannotEncode, 400),
    (Malformed, 400),
    (errors.WiringError, 400),
    (errors.ArrowMissing, 501),
    (errors.StoreError, 503),
)


def fault_of(error: PenstockError) -> HttpFault:
    """The fault that tells a client of an error it made, or met."""
    if isinstance(error, HttpFault):
        return error
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    fault = HttpFault(status, str(error), kind=type(error).__name__)
    if isinstance(error, errors.ReaderInUse):
        fault.details = {"holder": error.holder, "until": error.until}
    return fault


def json_reply(found: dict[str, Any], status: int = 200) -> Reply:
    """An object."""
    return Reply(status=status, body=json.dumps(found).encode())


def text_reply(text: str) -> Reply:
    """A few words for whoever comes by with a browser."""
    return Reply(kind=_TEXT, body=text.encode())


def refusal(fault: HttpFault) -> Reply:
    """What went wrong, in one sentence, and the error's name for clients that know it."""
    said = {"error": str(fault), "kind": fault.kind} | fault.details
    return Reply(status=fault.status, body=json.dumps(said).encode(), **fault.more)
