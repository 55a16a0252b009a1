"""The form of a job on the wire: Keno Antigen's `{route, user_id?, content}`, as JSON. Pure.

What else stands in it is passed over, so that a producer may say more than a worker of today knows.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from penstock.errors import InvalidMessage

__all__ = ["Form", "UserId", "encode_form", "read_form"]

#: The primary key of a user; Keno Antigen's are numbers.
UserId = int | str


class Form(msgspec.Struct, frozen=True, omit_defaults=True):
    """A job whose content nobody has looked at yet."""

    route: str
    content: msgspec.Raw
    user_id: UserId | None = None


_decode: Final = msgspec.json.Decoder(Form).decode


def read_form(body: bytes) -> Form:
    """The job in a message's body.

    Raises:
        InvalidMessage: it is no JSON, or no job.
    """
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise InvalidMessage(f"this is no job, which has a route and a content: {exc}") from exc


def encode_form(route: str, content: Any, user_id: UserId | None = None) -> bytes:
    """The body of a message with this job.

    Raises:
        InvalidMessage: the content cannot be written as JSON.
    """
    try:
        return msgspec.json.encode(Form(route, msgspec.Raw(msgspec.json.encode(content)), user_id))
    except (TypeError, ValueError, msgspec.MsgspecError) as exc:
        raise InvalidMessage(f"the content for {route} cannot be written as JSON: {exc}") from exc
