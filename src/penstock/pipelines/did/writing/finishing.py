"""Finishing cuts whose files are recorded: anchored, acked, one after the other, while Spark writes the next.

In the order of the cuts: what a DID's later operation refers to is anchored before it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, Protocol

from penstock.client.backoff import Backoff
from penstock.client.settings import ClientSettings
from penstock.clock import sleep
from penstock.errors import ClientError, CutLost, PenstockError, PreviousUnknown, StoreError, TransientError

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.operation_queue import Cut

__all__ = ["WAITS", "Anchors", "Finisher"]

_log = logging.getLogger(__name__)

#: The waits of whoever needs something that is away: a database, a storage, a broker.
WAITS: Final = ClientSettings(backoff_initial=0.5, backoff_multiplier=2.0, backoff_max=30.0)
#: Nobody's fault, and over some time.
PASSING: Final = (StoreError, TransientError, ClientError)


class Anchors(Protocol):
    """Who anchors a batch: `AnchorWriter` does."""

    async def write(self, cut: Cut) -> str:
        """Anchor it, once, however often this is called; then the cut can be acked."""
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
        #: Those that are not finished.
        self.numbers: set[int] = set()

    def __repr__(self) -> str:
        return f"<Finisher, {len(self)} cuts>"

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, cut: Cut) -> None:
        """Finish it, after those that are here."""
        self.numbers.add(cut.id)
        self._line.put_nowait(cut)

    async def run(self) -> None:
        """Finish what comes, until cancelled. Nothing that fails ends it."""
        while True:
            await self.finish()

    async def finish(self) -> None:
        """Finish the next cut, when it comes; while what it needs is away, the others wait as well."""
        cut = await self._line.get()
        backoff = Backoff(WAITS)
        while not await self._is_settled(cut):
            await sleep(self._clock, backoff.next())
        self.numbers.discard(cut.id)

    async def _is_settled(self, cut: Cut) -> bool:
        try:
            if has_files(cut):
                await self._anchors.write(cut)
            await cut.ack()
        except CutLost as exc:
            # Another has it, or a step was done whose answer got lost: then it is found again.
            _log.warning("%r is left to whoever has it: %s", cut, exc)
            cut.put_down()
        except PASSING as exc:
            _log.warning("%r is anchored later: %s", cut, exc)
            return False
        except PenstockError as exc:
            return await self._is_nacked(cut, exc)
        except Exception:  # noqa: BLE001 (a mistake of ours: all that is known is that the batch is there)
            _log.exception("%r is anchored later", cut)
            return False
        return True

    async def _is_nacked(self, cut: Cut, error: PenstockError) -> bool:
        """It cannot be anchored like this: its operations are posted anew, and those to blame apart."""
        _log.warning("%r cannot be anchored, its operations are posted anew: %s", cut, error)
        try:
            await cut.nack(error, blamed=error.suffixes if isinstance(error, PreviousUnknown) else ())
        except CutLost:
            cut.put_down()
        except StoreError:
            return False
        return True
