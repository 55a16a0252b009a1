"""The port of who resolves DIDs, whatever the operations are kept in. Nothing here has code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from penstock.sidetree.state import State

__all__ = ["Resolver"]


class Resolver(Protocol):
    """Who knows what became of a DID."""

    async def resolve(
        self, did: str, *, version: str | None = None, until: int | None = None
    ) -> dict[str, Any]:
        """The document of a DID, and what is to be said about it.

        Args:
            did: In any of its forms; of another method, its long form.
            version: The reference of the operation that made the version; None for the latest.
            until: The last moment that counts, in seconds since the epoch; None for now.

        Raises:
            BadDid: it is none.
            UnknownDid: nobody here has heard of it.
            UnknownVersion: it never was in that version, or did not exist at that time.
            StoreError: the operations cannot be read now.
        """
        ...

    async def state_of(self, suffix: str) -> State | None:
        """What is known of a DID now; None if nothing is.

        Raises:
            StoreError: the operations cannot be read now.
        """
        ...
