"""Candidates: who may witness an anchor, in which role, and whether it keeps a ledger.

Each is asked for its ledger; who does not answer now would not answer an offer either, and is left out.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from penstock.did.witnesses import BATCH, SYSTEM, Witness
from penstock.errors import BadActivity, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Ledgers, Neighbours

__all__ = ["Candidates"]

_log = logging.getLogger(__name__)


class Candidates:
    """Who may witness this domain's anchors."""

    def __init__(self, identity: Identity, neighbours: Neighbours, ledgers: Ledgers) -> None:
        self._identity = identity
        self._neighbours = neighbours
        self._ledgers = ledgers

    async def of_batch(self, origins: Iterable[str]) -> list[Witness]:
        """The origins of a batch's DIDs."""
        return await self._found(origins, BATCH)

    async def of_system(self) -> list[Witness]:
        """Those who have agreed to witness all anchors of this domain."""
        return await self._found(await self.system(), SYSTEM)

    async def system(self) -> list[str]:
        """Their IRIs, whether they answer or not."""
        return list(await self._neighbours.witnesses())

    async def _found(self, iris: Iterable[str], role: str) -> list[Witness]:
        # This domain has signed already.
        others = [iri for iri in dict.fromkeys(iris) if not self._identity.is_me(iri)]
        found = await asyncio.gather(*(asyncio.to_thread(self._ask, iri, role) for iri in others))
        return [witness for witness in found if witness is not None]

    def _ask(self, iri: str, role: str) -> Witness | None:
        try:
            return Witness(iri=iri, role=role, has_log=bool(self._ledgers.log_of(iri)))
        except (BadActivity, Unavailable) as exc:
            _log.warning("%s is not asked as a %s witness, since it does not answer: %s", iri, role, exc)
            return None
