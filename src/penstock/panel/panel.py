"""Panel: what all visits share: the broker they look at, and the routes they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import PenstockError
from penstock.panel.accounts.accounts import Accounts
from penstock.panel.entering import BasicDoor
from penstock.panel.own.resources import Resources
from penstock.panel.replies import fault_of, refusal
from penstock.panel.routes import Routes
from penstock.panel.visit import Visit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.panel.entering import Door
    from penstock.panel.replies import Reply
    from penstock.panel.routes import Table
    from penstock.server.embedded import Embedded
    from penstock.server.users import User

__all__ = ["Panel"]


class Panel:
    """A broker, shown. It lives in the broker's own loop and reads its objects as they are."""

    def __init__(
        self, embedded: Embedded, tables: Iterable[Table], resources: Resources | None = None
    ) -> None:
        """A panel.

        Args:
            resources: what it can show beside the broker.
        """
        front = embedded.front
        self.embedded = embedded
        self.routes = Routes(tables)
        self.accounts = Accounts.of(front.access, front.settings, embedded.broker.clock)
        self.resources = resources or Resources()
        self.started_at = embedded.broker.clock.now()
        #: How a request may show whose it is; the first that knows says it.
        self.doors: tuple[Door, ...] = (self.accounts.door, BasicDoor())
        #: Where it is served.
        self.urls: list[str] = []

    def __repr__(self) -> str:
        return f"<Panel of {self.embedded!r}, {self.routes!r}>"

    def refresh(self) -> None:
        """A visit begins: the broker reads the clock."""
        self.embedded.broker.refresh()

    async def look(self, user: User, path: tuple[str, ...], query: Mapping[str, str]) -> Reply:
        """What a user would be answered who gets that path; a refusal is an answer, too."""
        try:
            route, names = self.routes.find("GET", path)
            visit = Visit(panel=self, user=user, path=path, query=query)
            visit.demand(route.tag)
            self.refresh()
            return await route.handler(visit, **names)
        except PenstockError as error:
            return refusal(fault_of(error))

    async def close(self) -> None:
        """Let go of what was opened for it."""
        self.accounts.close()
        await self.resources.close()
