"""The outbox, as the operator posts in it: what `penstock did follow`, `invite` and `undo` do, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.routing import Route

from penstock.did.activities.directory import SERVICE_PATH
from penstock.did.web.answers import answer
from penstock.did.web.bodies import read_body

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from penstock.did.federation import Federation
    from penstock.did.web.operator import Operator

__all__ = ["AskingPages"]

#: Bytes of an activity that asks another domain for something.
LIMIT: Final = 64 * 1024


class AskingPages:
    """Where the operator has the domain ask others."""

    def __init__(self, federation: Federation, operator: Operator) -> None:
        self._federation = federation
        self._operator = operator

    def routes(self) -> list[Route]:
        """Where they are."""
        return [Route(f"{SERVICE_PATH}/outbox", self.post_outbox, methods=["POST"])]

    async def post_outbox(self, request: Request) -> Response:
        """Ask; the answer is the name of the activity, by which it can be undone."""
        self._operator.check(request)
        # Orb's command line takes nothing but 200 for a yes, and shows what it is told.
        return answer(await self._federation.ask(await read_body(request, LIMIT)))
