"""The port: contents by name. What is read was verified, what is written is durable when `put` returns."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Contents"]


class Contents(Protocol):
    """Contents that this domain has itself. Threads may share one, and processes the place behind it."""

    def put(self, name: str, data: bytes, *, anew: bool = False) -> None:
        """Keep a content whose resource hash is `name`; once more is harmless.

        Args:
            name: Its resource hash; the caller has computed it of the data.
            data: All of it.
            anew: Write it even if it is there: what is there turned out to be damaged.

        Raises:
            Unavailable: it could not be kept.
        """
        ...

    def get(self, name: str, limit: int) -> bytes | None:
        """All of a content, not verified; None if it is not here.

        Raises:
            ContentTooLarge: it has more than `limit` bytes; no more than that is read.
            Unavailable: it could not be read.
        """
        ...

    def has(self, name: str) -> bool:
        """Whether it is here.

        Raises:
            Unavailable: nobody can tell now.
        """
        ...
