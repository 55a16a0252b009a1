"""The message of orb.anchor: an anchor that the observer is to look at. Pure.

{"hashLink": …, "localHashLink"?: …, "attributedTo"?: …, "alternateSources"?: […]}
"""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.did.unreadable import UNREADABLE
from penstock.errors import InvalidMessage

__all__ = ["ANCHOR", "ANCHOR_LINKSET", "AnchorInfo"]

#: The queues, without the domain's word.
ANCHOR: Final = "anchor"
ANCHOR_LINKSET: Final = "anchor_linkset"


class AnchorInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An anchor, and who told of it."""

    #: The hashlink as its teller has it.
    hash_link: str
    #: The hashlink of the copy here.
    local_hash_link: str = ""
    #: The service that told of it; empty if it is of this domain.
    attributed_to: str = ""
    alternate_sources: tuple[str, ...] = ()

    def encode(self) -> bytes:
        """The body of the message."""
        return msgspec.json.encode(self)

    @classmethod
    def decode(cls, body: bytes) -> AnchorInfo:
        """What a message says.

        Raises:
            InvalidMessage: it tells of no anchor; trying again will not help.
        """
        try:
            return msgspec.json.decode(body, type=cls)
        except UNREADABLE as exc:
            raise InvalidMessage(f"it tells the observer of no anchor: {exc}") from exc
