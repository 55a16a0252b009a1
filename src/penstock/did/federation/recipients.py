"""Who gets an activity: the services that its `to` means, and where their inboxes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.did.activities.names import PUBLIC
from penstock.did.federation.membership import FOLLOWERS, WITNESSES, all_members

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from penstock.did.activities import Peers
    from penstock.did.database import DomainDatabase
    from penstock.did.federation.iris import Iris

__all__ = ["Recipients"]

#: Collections of this domain's that an activity may be sent to.
EXPANDED: Final = (FOLLOWERS, WITNESSES)


class Recipients:
    """Finds them."""

    def __init__(self, database: DomainDatabase, peers: Peers, iris: Iris) -> None:
        self._database = database
        self._peers = peers
        self._iris = iris

    async def services(self, to: Sequence[str], *, exclude: Collection[str] = ()) -> list[str]:
        """The services that are meant, each once: no collection, not the public, and not this one.

        Raises:
            StoreError: the database is away.
        """
        found: dict[str, None] = {}
        for each in to:
            found |= dict.fromkeys(await self._meant(each))
        nobody = {PUBLIC, self._iris.service, *exclude}
        return [service for service in found if service not in nobody]

    async def _meant(self, iri: str) -> list[str]:
        for name in EXPANDED:
            if iri == self._iris.collection(name):
                return await self._database.ask(all_members, name)
        return [iri]

    def inbox_of(self, service: str) -> str:
        """Where a service's inbox is. Blocks; the caller chooses the thread.

        Raises:
            BadActivity: there is no such service.
            Unavailable: it cannot be asked now.
        """
        return self._peers.actor(service).places["inbox"]
