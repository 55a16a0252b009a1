"""What waits in the outbox's queue: an activity, and what is to be done with it next. Pure.

broadcast              keep it, and find out who gets it; services in `exclude` do not
resolve-and-deliver    find the inbox of the service `target`
deliver                post it to the inbox `target`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from penstock.did.unreadable import UNREADABLE
from penstock.errors import InvalidMessage
from penstock.messaging.message import Message
from penstock.sidetree.multihash import hashed

if TYPE_CHECKING:
    from penstock.messaging.port import Received

__all__ = ["BROADCAST", "DELIVER", "RESOLVE", "Outgoing", "message_of", "outgoing_in"]

BROADCAST: Final = "broadcast"
RESOLVE: Final = "resolve-and-deliver"
DELIVER: Final = "deliver"


class Outgoing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An activity on its way out."""

    type: Literal["broadcast", "resolve-and-deliver", "deliver"]
    #: What is to be kept; of one that is kept, its `id` is enough.
    activity: dict[str, Any]
    #: The service, or the URL of its inbox.
    target: str = ""
    #: Services that are not told, though they are among those meant.
    exclude: list[str] = []


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Outgoing).decode


def message_of(outgoing: Outgoing) -> Message:
    """The message; the same activity on the same way has the same id."""
    name = hashed([outgoing.type, outgoing.activity.get("id", ""), outgoing.target])
    return Message(body=_encode(outgoing), id=name)


def outgoing_in(received: Received) -> Outgoing:
    """What a message holds.

    Raises:
        InvalidMessage: its body is nothing of the kind.
    """
    try:
        return _decode(received.body)
    except UNREADABLE as exc:
        raise InvalidMessage(f"it holds no activity on its way out: {exc}") from exc
