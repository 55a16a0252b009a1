"""Large contents, gathered piece by piece; one beyond the limit is let pass without being kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.wire.amqp import BasicProperties
    from penstock.wire.amqp.items import Head

__all__ = ["LargeBody"]


class LargeBody:
    """The content that is coming in on a channel."""

    __slots__ = ("_pieces", "head", "is_too_large", "properties", "size")

    def __init__(self, head: Head, properties: BasicProperties, size: int, most: int) -> None:
        #: What the body belongs to: the beginning of the item it would have been.
        self.head = head
        self.properties = properties
        self.size = size
        self.is_too_large = size > most
        self._pieces: list[bytes] = []

    def __repr__(self) -> str:
        return f"<LargeBody of {self.size} bytes, {'passed by' if self.is_too_large else 'gathered'}>"

    def add(self, piece: bytes) -> None:
        """The next bytes."""
        if not self.is_too_large:
            self._pieces.append(piece)

    @property
    def body(self) -> bytes:
        """All of it, once it has come."""
        return b"".join(self._pieces)
