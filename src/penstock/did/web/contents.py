"""What the domain has stored: contents by their hash, and credentials by their name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.activities.directory import CAS, LD_TYPE
from penstock.did.cas.hashes import check_name
from penstock.did.web.answers import NOT_FOUND
from penstock.did.web.room import LargeAnswer, Room
from penstock.errors import BadHashLink, ContentNotFound

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from penstock.did.cas import ContentStorage

    #: A credential as JSON, by the last part of its URL.
    Credentials = Callable[[str], Awaitable[bytes | None]]

__all__ = ["ContentPages"]

#: A hash means the same bytes for ever. They are no page, whatever a browser thinks.
HEADERS: Final = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
}


class ContentPages:
    """What others fetch."""

    def __init__(self, cas: ContentStorage, credentials: Credentials) -> None:
        self._cas = cas
        self._credentials = credentials
        self._room = Room()

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(f"{CAS}/{{name}}", self.content, methods=["GET"]),
            Route("/vc/{name}", self.credential, methods=["GET"]),
        ]

    async def content(self, request: Request) -> Response:
        """A content. A bare hash names nobody else to ask, so nothing is fetched for who asks here."""
        name = request.path_params["name"]
        try:
            check_name(name)
        except BadHashLink as exc:
            raise ContentNotFound(str(exc)) from exc
        data = await asyncio.to_thread(self._cas.get, name)
        return LargeAnswer(data, self._room, kind="application/octet-stream", headers=HEADERS)

    async def credential(self, request: Request) -> Response:
        """A verifiable credential of an anchor of this domain."""
        found = await self._credentials(request.path_params["name"])
        if found is None:
            raise HTTPException(NOT_FOUND, "there is no such credential")
        return Response(found, media_type=LD_TYPE)
