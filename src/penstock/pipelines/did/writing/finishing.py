"""Finishing cuts whose files are recorded: anchored, acked, one after the other, while Spark writes the next.

In the order of the cuts: what a DID's later operation refers to is anchored before it. Only a cut that fails
for a reason that nobody has thought of is passed by the others: it is tried again a few times, and then its
operations are posted anew, so that in the end they are dead letters, with that reason.
"""

from __future__ import annotations

import asyncio
import logging
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

from penstock.client.backoff import Backoff
from penstock.client.settings import ClientSettings
from penstock.clock import sleep
from penstock.errors import CutLost, PenstockError, PreviousUnknown, StoreError
from penstock.pipelines.did.writing.outcome import PASSING

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.clock import Clock
    from penstock.did.anchors import Draft
    from penstock.did.operation_queue import Cut

__all__ = ["TRIES", "WAITS", "Anchors", "End", "Finisher"]

_log = logging.getLogger(__name__)

#: The waits of whoever needs something that is away: a database, a storage, a broker.
WAITS: Final = ClientSettings(backoff_initial=0.5, backoff_multiplier=2.0, backoff_max=30.0)
#: How often a cut is tried that fails for a reason nobody has thought of.
TRIES: Final = 5


class End(Enum):
    """How a try to finish a cut has ended."""

    #: There is nothing more to do with it here.
    SETTLED = "settled"
    #: What all cuts need is away.
    AWAY = "away"
    #: It has failed, and why is known of no other.
    ASIDE = "aside"


class Anchors(Protocol):
    """Who anchors a batch: `AnchorWriter` does."""

    async def write(self, cut: Cut, draft: Draft | None = None) -> str:
        """Anchor it, once, however often this is called; then the cut can be acked.

        Args:
            cut: Its files are recorded.
            draft: Its anchor, if it is drafted.
        """
        ...


def has_files(cut: Cut) -> bool:
    """Whether there is something to anchor: a cut may have nothing that can be in a batch now."""
    return len(cut.left_out.deferred) + len(cut.left_out.refused) < len(cut.operations)


class Finisher:
    """Has a line of cuts, and `run` works on its head."""

    def __init__(self, anchors: Anchors, clock: Clock) -> None:
        self._anchors = anchors
        self._clock = clock
        self._line: asyncio.Queue[Cut] = asyncio.Queue()
        #: The waits of those that are set aside.
        self._aside: dict[int, Backoff] = {}
        #: The anchors of those that were drafted with their files; who reopens a cut has none.
        self._drafts: dict[int, Draft] = {}
        #: Those that are not finished.
        self.numbers: set[int] = set()

    def __repr__(self) -> str:
        return f"<Finisher, {len(self)} cuts>"

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, cut: Cut, draft: Draft | None = None) -> None:
        """Finish it, after those that are here."""
        self.numbers.add(cut.id)
        if draft is not None:
            self._drafts[cut.id] = draft
        self._line.put_nowait(cut)

    async def run(self) -> None:
        """Finish what comes, until cancelled. Nothing that fails ends it."""
        while True:
            await self.finish()

    async def finish(self) -> None:
        """Finish the next cut, when it comes; while what it needs is away, the others wait as well."""
        cut = await self._line.get()
        backoff = Backoff(WAITS)
        while (end := await self._tried(cut)) is End.AWAY:
            await sleep(self._clock, backoff.next())
        if end is End.ASIDE:
            self._clock.call_at(self._clock.now() + self._aside[cut.id].next(), self._line.put_nowait, cut)
            return
        self._aside.pop(cut.id, None)
        self._drafts.pop(cut.id, None)
        self.numbers.discard(cut.id)

    async def _tried(self, cut: Cut) -> End:
        try:
            if has_files(cut):
                await self._anchors.write(cut, self._drafts.get(cut.id))
            await cut.ack()
        except CutLost as exc:
            # Another has it, or a step was done whose answer got lost: then it is found again.
            _log.warning("%r is left to whoever has it: %s", cut, exc)
            cut.put_down()
        except PASSING as exc:
            _log.warning("%r is anchored later: %s", cut, exc)
            return End.AWAY
        except PenstockError as exc:
            blamed = exc.suffixes if isinstance(exc, PreviousUnknown) else ()
            return await self.nack(cut, str(exc), blamed)
        except Exception as exc:  # noqa: BLE001 (a mistake of ours: only this batch is known to meet it)
            return await self._failed(cut, exc)
        return End.SETTLED

    async def _failed(self, cut: Cut, error: Exception) -> End:
        """Nobody knows what to do about it: it is tried again, and the others do not wait for it."""
        tried = self._aside.setdefault(cut.id, Backoff(WAITS)).attempts + 1
        _log.error("%r failed, try %d of %d: please report this", cut, tried, TRIES, exc_info=error)
        if tried < TRIES:
            return End.ASIDE
        return await self.nack(cut, f"{type(error).__name__}: {error}")

    async def nack(self, cut: Cut, reason: str, blamed: Collection[str] = ()) -> End:
        """It cannot be anchored like this: its operations are posted anew, and those to blame apart."""
        _log.warning("%r cannot be anchored, its operations are posted anew: %s", cut, reason)
        try:
            await cut.nack(reason, blamed=blamed)
        except StoreError:
            return End.AWAY
        except CutLost:
            cut.put_down()
        except Exception:  # noqa: BLE001 (one batch does not end the work on all others)
            _log.exception("%r is put down, and found again later", cut)
            cut.put_down()
        return End.SETTLED
