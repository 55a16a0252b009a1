"""The witness policy: read and written by who has the operator's token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from penstock.did.federation import put_witness_policy, witness_policy
from penstock.did.web.answers import BAD
from penstock.did.web.bodies import read_body

if TYPE_CHECKING:
    from starlette.requests import Request

    from penstock.did.database import DomainDatabase
    from penstock.did.web.operator import Operator

__all__ = ["PolicyPages"]

#: Bytes of a policy.
LIMIT: Final = 4096
WRONG_TYPE: Final = 415
PLAIN: Final = "text/plain"
#: The second is what curl calls a body if nobody tells it.
KINDS: Final = (PLAIN, "application/x-www-form-urlencoded")


class PolicyPages:
    """What the operator may change while the domain runs."""

    def __init__(self, database: DomainDatabase, operator: Operator) -> None:
        self._database = database
        self._operator = operator

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/policy", self.policy, methods=["GET"]),
            Route("/policy", self.put_policy, methods=["POST"]),
        ]

    async def policy(self, request: Request) -> Response:
        """The policy as it was written."""
        self._operator.check(request)
        return PlainTextResponse(await self._database.ask(witness_policy))

    async def put_policy(self, request: Request) -> Response:
        """Have another policy from now on."""
        self._operator.check(request)
        kind = request.headers.get("content-type", PLAIN).partition(";")[0].strip().lower()
        if kind not in KINDS:
            raise HTTPException(WRONG_TYPE, f"a witness policy is {PLAIN}")
        try:
            policy = (await read_body(request, LIMIT)).decode().strip()
        except UnicodeDecodeError as exc:
            raise HTTPException(BAD, "a witness policy is a text in UTF-8") from exc
        await self._database.run(put_witness_policy, policy)
        return Response(b"", 200)
