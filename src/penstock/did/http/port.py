"""The port of who reads what others have at a URL; `HttpFetcher().fetch` does. Nothing here has code."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Fetch"]


class Fetch(Protocol):
    """Reads a URL."""

    def __call__(self, url: str, /, *, limit: int, accept: str) -> bytes:
        """What is there.

        Args:
            url: Where.
            limit: Bytes that it may have.
            accept: The media type that is asked for.

        Raises:
            ContentNotFound: there is nothing for us.
            ContentTooLarge: it has more bytes.
            Unavailable: nobody answers now.
        """
        ...
