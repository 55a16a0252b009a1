"""Sidetree's two endpoints: operations are posted, and DIDs are resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.activities.directory import DID_TYPE, OPERATIONS, RESOLUTION
from penstock.did.credentials.methods import DID_WEB
from penstock.did.web.answers import BAD, answer
from penstock.did.web.bodies import read_body
from penstock.errors import UnknownDid, UnknownVersion
from penstock.sidetree.instants import read_instant

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from penstock.did.operations import Resolver
    from penstock.did.web.intake import OperationIntake

    #: Told of a DID that is not known here, to find out about it.
    Wonder = Callable[[str], Awaitable[None]]

__all__ = ["SidetreePages"]

#: Bytes that are read of an operation. The protocol's own limit is lower, and its refusal says so.
LIMIT: Final = 64 * 1024


class SidetreePages:
    """What clients of the domain use."""

    def __init__(self, intake: OperationIntake, resolver: Resolver, wonder: Wonder | None = None) -> None:
        self._intake = intake
        self._resolver = resolver
        self._wonder = wonder

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(OPERATIONS, self.post_operation, methods=["POST"]),
            Route(f"{RESOLUTION}/{{did:path}}", self.identifier, methods=["GET"]),
        ]

    async def post_operation(self, request: Request) -> Response:
        """Take an operation in."""
        created = await self._intake.take(await read_body(request, LIMIT))
        return Response(b"", 200) if created is None else answer(created, kind=DID_TYPE)

    async def identifier(self, request: Request) -> Response:
        """Resolve a DID."""
        did, query = request.path_params["did"], request.query_params
        version, at = query.get("versionId"), query.get("versionTime")
        if version is not None and at is not None:
            raise HTTPException(BAD, "a version is asked for by versionId or by versionTime, not by both")
        try:
            until = None if at is None else read_instant(at)
        except UnknownVersion as exc:
            raise HTTPException(BAD, str(exc)) from exc
        try:
            found = await self._resolver.resolve(did, version=version, until=until)
        except UnknownDid:
            # Whoever knows a DID by a did:web of this domain knows no anchor to look at.
            if self._wonder is not None and not did.startswith(DID_WEB):
                await self._wonder(did)
            raise
        return answer(found, kind=DID_TYPE)
