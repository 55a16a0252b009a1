"""Candidates: who may witness an anchor, in which role, and whether it keeps a ledger.

The origin of a DID is a service, or a domain as such (https://orb.example.com): then its service witnesses.

Each is asked for its ledger; who does not answer now would not answer an offer either, and is left out. If
too few are left, who has agreed to witness is waited for, however long it is away. The origins of a batch
are what strangers have written: so many of them are asked, and all of them together have so long to answer,
since every batch behind this one waits meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from penstock.did.witnesses import BATCH, SYSTEM, Witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.clock import Clock
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Neighbours, Services

__all__ = ["Candidates"]

#: Origins of one batch that are asked.
MOST: Final = 64
#: Seconds in which all that are asked at once must have answered.
TOGETHER_S: Final = 5.0
#: Questions at once, of each role.
THREADS: Final = 16

#: What becomes of who does not answer.
_AWAY: Final = {
    BATCH: "not asked as a batch witness",
    SYSTEM: "asked as a witness only if too few others answer",
}

_log = logging.getLogger(__name__)


class Candidates:
    """Who may witness this domain's anchors."""

    def __init__(self, identity: Identity, neighbours: Neighbours, services: Services, clock: Clock) -> None:
        self._identity = identity
        self._neighbours = neighbours
        self._services = services
        self._clock = clock
        # Of each role its own: origins that do not answer must not take the threads of our own witnesses.
        self._threads = {role: ThreadPoolExecutor(THREADS, f"{role}-witnesses") for role in (BATCH, SYSTEM)}

    async def of_batch(self, origins: Iterable[str]) -> list[Witness]:
        """The origins of a batch's DIDs: the first of them, if they are many."""
        others = self._others(origins)
        if len(others) > MOST:
            _log.warning("a batch has %d origins, and only %d of them are asked", len(others), MOST)
        return await self._found(others[:MOST], BATCH)

    async def of_system(self) -> list[Witness]:
        """Those who have agreed to witness all anchors of this domain, and answer."""
        return await self._found(self._others(await self.system()), SYSTEM)

    async def away(self, found: Iterable[Witness]) -> list[Witness]:
        """Those who have agreed as well, and are not among these."""
        here = {witness.iri for witness in found if witness.role == SYSTEM}
        agreed = self._others(await self.system())
        return [Witness(iri=iri, role=SYSTEM, answers=False) for iri in agreed if iri not in here]

    async def system(self) -> list[str]:
        """Their IRIs, whether they answer or not."""
        return list(await self._neighbours.witnesses())

    def close(self) -> None:
        """Ask nobody any more."""
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)

    def _others(self, iris: Iterable[str]) -> list[str]:
        # This domain has signed already.
        return [iri for iri in dict.fromkeys(iris) if not self._identity.is_me(iri)]

    async def _found(self, iris: Sequence[str], role: str) -> list[Witness]:
        loop = asyncio.get_running_loop()
        asked = [loop.run_in_executor(self._threads[role], self._ask, iri, role) for iri in iris]
        alarm = self._clock.call_at(self._clock.now() + TOGETHER_S, _give_up, asked)
        try:
            found = await asyncio.gather(*asked, return_exceptions=True)
        finally:
            alarm.cancel()
        for iri, answer in zip(iris, found, strict=True):
            if isinstance(answer, BaseException):
                _log.warning("%s is %s: %s", iri, _AWAY[role], _why(answer))
        # Several origins may mean one service, and that may be this domain's own.
        known = {answer.iri: answer for answer in found if isinstance(answer, Witness)}
        return [known[iri] for iri in self._others(known)]

    def _ask(self, iri: str, role: str) -> Witness:
        service = self._services.service_of(iri) if role == BATCH else iri
        return Witness(iri=service, role=role, has_log=bool(self._services.log_of(service)))


def _give_up(asked: Iterable[asyncio.Future[Witness]]) -> None:
    for each in asked:
        each.cancel()


def _why(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return f"it did not answer in {TOGETHER_S:g} seconds"
    return f"{type(error).__name__}: {error}"
