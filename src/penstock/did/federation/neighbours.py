"""What the domain's other parts ask of its collections, and of what its operator has told it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.did.federation.lists import ALLOWED_ORIGINS, read_list
from penstock.did.federation.membership import WITNESSES, WITNESSING, all_members, has_member
from penstock.did.federation.words import witness_policy
from penstock.did.witnesses import parse_policy
from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.witnesses import Policy

__all__ = ["AllowedOrigins", "Neighbours", "WitnessPolicies"]

_log = logging.getLogger(__name__)


class Neighbours:
    """Who has to do with this domain."""

    def __init__(self, database: DomainDatabase) -> None:
        self._database = database

    async def witnesses(self) -> list[str]:
        """The IRIs of those who have agreed to witness this domain's anchors."""
        return await self._database.ask(all_members, WITNESSES)

    async def is_witnessing(self, iri: str) -> bool:
        """Whether this domain has agreed to witness the anchors of that one."""
        return await self._database.ask(has_member, WITNESSING, iri)


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
            self._kept = now + self._kept_for, parse_policy(await self._database.ask(witness_policy))
        return self._kept[1]


class AllowedOrigins:
    """The anchor origins of operations that are taken, read anew from time to time."""

    def __init__(
        self, database: DomainDatabase, first: Collection[str], *, clock: Clock, kept_for: float
    ) -> None:
        """Nothing is read yet.

        Args:
            first: What the parameters say.
            kept_for: allowed-origins-cache-expiration, in seconds.
        """
        self._database = database
        self._first = first
        self._clock = clock
        self._kept_for = kept_for
        self._kept: frozenset[str] | None = None
        self._until = 0.0

    async def __call__(self) -> frozenset[str]:
        """The list as it is now, or was a moment ago; while the database is away, as it was before.

        Raises:
            StoreError: it was never read, and cannot be now.
        """
        now = self._clock.now()
        if self._kept is None or now >= self._until:
            # Whoever comes meanwhile has the one before.
            self._until = now + self._kept_for
            try:
                self._kept = frozenset(await self._database.ask(read_list, ALLOWED_ORIGINS, self._first))
            except StoreError as exc:
                if self._kept is None:
                    raise
                _log.warning("the allowed origins are those of before: %s", exc)
        return self._kept
