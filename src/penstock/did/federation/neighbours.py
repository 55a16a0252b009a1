"""What the domain's other parts ask of its collections, and of what its operator has told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.federation.membership import WITNESSES, WITNESSING, all_members, has_member
from penstock.did.federation.words import witness_policy
from penstock.did.witnesses import parse_policy

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.witnesses import Policy

__all__ = ["Neighbours", "WitnessPolicies"]


class Neighbours:
    """Who has to do with this domain."""

    def __init__(self, database: DomainDatabase) -> None:
        self._database = database

    async def witnesses(self) -> list[str]:
        """The IRIs of those who have agreed to witness this domain's anchors."""
        return await self._database.run(all_members, WITNESSES)

    async def is_witnessing(self, iri: str) -> bool:
        """Whether this domain has agreed to witness the anchors of that one."""
        return await self._database.run(has_member, WITNESSING, iri)


class WitnessPolicies:
    """The witness policy, read anew from time to time: another instance may have been told another."""

    def __init__(self, database: DomainDatabase, *, clock: Clock, kept_for: float) -> None:
        """Nothing is read yet.

        Args:
            kept_for: witness-policy-cache-expiration, in seconds.
        """
        self._database = database
        self._clock = clock
        self._kept_for = kept_for
        self._kept: tuple[float, Policy] | None = None

    async def witness_policy(self) -> Policy:
        """The policy as it is now, or was a moment ago.

        Raises:
            BadWitnessPolicy: what is kept cannot be read.
            StoreError: it cannot be read now.
        """
        now = self._clock.now()
        if self._kept is None or now >= self._kept[0]:
            self._kept = now + self._kept_for, parse_policy(await self._database.run(witness_policy))
        return self._kept[1]
