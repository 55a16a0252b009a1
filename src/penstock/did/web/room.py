"""Room for large bodies: what requests and answers of one kind hold in memory together is bounded.

What is small always has room: the number of connections bounds it, and whoever fills the room with large
bodies keeps no small one out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from starlette.exceptions import HTTPException
from starlette.responses import Response

from penstock.did.web.answers import AWAY, RETRY_AFTER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

__all__ = ["LargeAnswer", "Room", "Share"]

#: Bytes of all large bodies together.
SIZE: Final = 128 * 1024 * 1024
#: Bytes that each may have before it is large.
SMALL: Final = 64 * 1024


class Room:
    """So many bytes, of however many."""

    def __init__(self, size: int = SIZE) -> None:
        self.left = size

    def share(self) -> Share:
        """For one of them; a context that gives back what was taken."""
        return Share(self)


class Share:
    """What one of them takes."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._all = self._taken = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._room.left += self._taken
        self._all = self._taken = 0

    def take(self, size: int) -> None:
        """So many bytes more.

        Raises:
            HTTPException: there is no room for them now.
        """
        self._all += size
        more = max(self._all - SMALL, 0) - self._taken
        if more > self._room.left:
            raise HTTPException(
                AWAY, "too much is being sent at once: try again", {"Retry-After": RETRY_AFTER}
            )
        self._room.left -= more
        self._taken += more


class LargeAnswer(Response):
    """An answer that is in memory until nearly all of it is taken, in a room with others."""

    def __init__(
        self, content: bytes, room: Room, *, kind: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(content, headers=dict(headers or {}), media_type=kind)
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it piece by piece: the server waits with each until those before are taken."""
        with self._room.share() as share:
            share.take(len(self.body))
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            body = memoryview(self.body)
            for at in range(0, len(body), SMALL):
                piece = bytes(body[at : at + SMALL])
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
