"""What the parameters say of other domains: whom to let in, whom to follow, who is to witness, how many."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.did.federation import Acceptance, put_witness_policy, witness_policy
from penstock.did.federation.iris import service_at
from penstock.did.federation.membership import FOLLOWING, WITNESSES, all_members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from penstock.did.domain.domain import Domain
    from penstock.did.parameters import DidParameters

__all__ = ["acceptance_of", "ask_neighbours", "keep_policy"]

_log = logging.getLogger(__name__)


def acceptance_of(parameters: DidParameters) -> Acceptance:
    """Who may follow, and for whom the domain witnesses."""
    return Acceptance(
        followers=_listed(parameters.follow_auth_policy, parameters.follow_accept_list),
        witnessing=_listed(parameters.invite_witness_auth_policy, parameters.invite_witness_accept_list),
    )


def _listed(policy: str, services: Iterable[str]) -> frozenset[str] | None:
    return None if policy == "accept-all" else frozenset(map(service_at, services))


async def keep_policy(domain: Domain) -> None:
    """Put the witness policy of the parameters, unless somebody has put one before.

    Raises:
        BadWitnessPolicy: it is none.
        StoreError: the database is away.
    """
    wanted = domain.parameters.witness_policy
    if wanted is not None:
        await domain.database.run(_put_first, wanted)


def _put_first(connection: Connection, policy: str) -> None:
    if not witness_policy(connection):
        put_witness_policy(connection, policy)


async def ask_neighbours(domain: Domain) -> None:
    """Ask those who have not agreed yet; who is asked again at the next start answers again.

    Raises:
        StoreError, ClientError: it cannot be asked now.
    """
    federation, parameters = domain.federation, domain.parameters
    asking = (
        (FOLLOWING, parameters.follow, federation.follow),
        (WITNESSES, parameters.invite_witness, federation.invite),
    )
    for collection, wanted, ask in asking:
        agreed = await domain.database.ask(all_members, collection)
        for service in map(service_at, wanted):
            if service not in agreed:
                _log.info("%s is asked to be among %s", service, collection)
                await ask(service)
