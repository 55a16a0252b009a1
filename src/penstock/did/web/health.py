"""Health: whether what the domain stands on is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.routing import Route

from penstock import __version__
from penstock.did.instants import rfc_3339
from penstock.did.web.answers import AWAY, answer
from penstock.errors import StoreError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from penstock.did.database import DomainDatabase
    from penstock.messaging.port import Broker

__all__ = ["HealthPages"]

WELL: Final = "success"
UNWELL: Final = "unavailable"
#: What all of it together is called if it is well, as at Orb.
ALL_WELL: Final = "OK"


class HealthPages:
    """What a load balancer asks."""

    def __init__(self, database: DomainDatabase, broker: Broker) -> None:
        self._database = database
        self._broker = broker

    def routes(self) -> list[Route]:
        """Where they are."""
        return [Route("/healthcheck", self.health, methods=["GET"])]

    async def health(self, request: Request) -> Response:
        """How the domain is, by what it needs."""
        told = {
            "mqStatus": WELL if self._broker.is_connected else UNWELL,
            "dbStatus": WELL if await self._is_database_there() else UNWELL,
        }
        is_well = set(told.values()) == {WELL}
        about = {"currentTime": rfc_3339(self._broker.clock.now()), "version": __version__}
        document = {"status": ALL_WELL if is_well else UNWELL, **told, **about}
        return answer(document, status=200 if is_well else AWAY)

    async def _is_database_there(self) -> bool:
        try:
            await self._database.check()
        except StoreError:
            return False
        return True
