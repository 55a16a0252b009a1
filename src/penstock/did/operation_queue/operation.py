"""A DID operation on its way to a batch: what Orb's messages of orb.operation hold, as values. Pure.

    {"id": …, "operation": {"Type": "create", "OperationRequest": base64, "UniqueSuffix": …, "Namespace": …,
     "AnchorOrigin": …, "Properties": […], "ProtocolVersion": 0}, "retries": 0, "hasError": false}

An operation's id is the hash of its request, whatever the message calls it: so the same operation is the
same entry however often it is posted, and a crash between two steps makes no second one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import msgspec

from penstock.did.unreadable import UNREADABLE
from penstock.errors import InvalidMessage
from penstock.messaging.message import Message
from penstock.sidetree.base64url import encode
from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from penstock.messaging.port import Received

__all__ = [
    "RETRIES",
    "Checked",
    "Posted",
    "QueuedOperation",
    "decode_operation",
    "encode_operation",
    "message_of",
    "operation_id",
    "posted_in",
]

#: The header that tells how often an operation was posted anew, if it was; the body has it, too.
RETRIES: Final = "retries"

#: What a DID's suffix looks like: a hash, of whatever kind. PostgreSQL cannot even look for one with U+0000.
SUFFIX: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")
#: As often as op-queue-max-reposts can say.
Retries = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class Checked(msgspec.Struct, frozen=True, rename="pascal", gc=False):
    """Somebody's word that an operation was checked, its signature too: only time can change it then."""

    #: It expires at this second, or with None never.
    closes: int | None
    #: Of the domain that has checked it; others can say what they like (seal.py).
    seal: bytes


class QueuedOperation(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", gc=False):
    """A valid operation as it waits for its batch."""

    type: Literal["create", "update", "recover", "deactivate"]
    #: The client's request, in its canonical form.
    operation_request: bytes
    unique_suffix: str
    namespace: str = "did:orb"
    anchor_origin: Any = None
    properties: list[Any] | None = None
    #: The genesis time of the protocol that it was checked by.
    protocol_version: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0
    checked: Checked | msgspec.UnsetType = msgspec.UNSET


class _Body(msgspec.Struct, kw_only=True, rename="camel"):
    """A message's body."""

    id: str = ""
    operation: QueuedOperation
    retries: Retries = 0
    has_error: bool = False


class Posted(NamedTuple):
    """An operation that was posted, or posted anew."""

    id: str
    operation: QueuedOperation
    #: How often it was posted anew.
    retries: int = 0
    #: Whether the batch that failed with it blamed its DID.
    has_error: bool = False


_encode_body = msgspec.json.Encoder().encode
_decode_body = msgspec.json.Decoder(_Body).decode
_encode_operation = msgspec.msgpack.Encoder().encode
_decode_operation = msgspec.msgpack.Decoder(QueuedOperation).decode


def operation_id(request: bytes) -> str:
    """The id of the operation that this request asks for."""
    return encode(multihash(request))


def message_of(posted: Posted, *, delay: float = 0.0) -> Message:
    """The message that posts it."""
    body = _Body(id=posted.id, operation=posted.operation, retries=posted.retries, has_error=posted.has_error)
    # A plain message has properties in common with its kind, and costs clients and broker half (stamping.py).
    headers = {RETRIES: posted.retries} if posted.retries else {}
    return Message(body=_encode_body(body), id=posted.id, headers=headers, delay=delay)


def posted_in(received: Received) -> Posted:
    """What a message posts.

    Raises:
        InvalidMessage: its body is no operation; trying again will not help.
    """
    try:
        body = _decode_body(received.body)
    except UNREADABLE as exc:
        raise InvalidMessage(f"it posts no DID operation: {exc}") from exc
    if not SUFFIX.fullmatch(body.operation.unique_suffix):
        raise InvalidMessage(f"it posts no DID operation: of {body.operation.unique_suffix[:50]!r}")
    request = body.operation.operation_request
    return Posted(operation_id(request), body.operation, body.retries, body.has_error)


def encode_operation(operation: QueuedOperation) -> bytes:
    """The operation as the database keeps it."""
    return _encode_operation(operation)


def decode_operation(kept: bytes) -> QueuedOperation:
    """The operation that the database kept."""
    return _decode_operation(kept)
