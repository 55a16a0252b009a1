"""The witness policy: read and written by who has the operator's token."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from penstock.did.federation import put_witness_policy, witness_policy
from penstock.did.web.bodies import BAD, read_body

if TYPE_CHECKING:
    from starlette.requests import Request

    from penstock.did.database import DomainDatabase

__all__ = ["PolicyPages"]

#: Bytes of a policy.
LIMIT: Final = 4096
UNAUTHORIZED: Final = 401
FORBIDDEN: Final = 403
WRONG_TYPE: Final = 415
PLAIN: Final = "text/plain"


class PolicyPages:
    """What the operator may change while the domain runs."""

    def __init__(self, database: DomainDatabase, token: str) -> None:
        """Without a token nobody is the operator."""
        self._database = database
        self._token = token.encode()

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/policy", self.policy, methods=["GET"]),
            Route("/policy", self.put_policy, methods=["POST"]),
        ]

    async def policy(self, request: Request) -> Response:
        """The policy as it was written."""
        self._check(request)
        return PlainTextResponse(await self._database.run(witness_policy))

    async def put_policy(self, request: Request) -> Response:
        """Have another policy from now on."""
        self._check(request)
        kind = request.headers.get("content-type", PLAIN).partition(";")[0].strip().lower()
        if kind != PLAIN:
            raise HTTPException(WRONG_TYPE, f"a witness policy is {PLAIN}")
        try:
            policy = (await read_body(request, LIMIT)).decode().strip()
        except UnicodeDecodeError as exc:
            raise HTTPException(BAD, "a witness policy is a text in UTF-8") from exc
        await self._database.run(put_witness_policy, policy)
        return Response(b"", 200)

    def _check(self, request: Request) -> None:
        if not self._token:
            raise HTTPException(FORBIDDEN, "this domain has no operator's token, so nobody may do this")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        is_theirs = compare_digest(token.strip().encode("latin-1", "replace"), self._token)
        if scheme.lower() != "bearer" or not is_theirs:
            raise HTTPException(
                UNAUTHORIZED, "the operator's token is needed here", {"WWW-Authenticate": "Bearer"}
            )
