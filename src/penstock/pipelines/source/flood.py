"""A flood: much comes at once, and how long the next batch of a spool is waited for then.

A batch costs Spark some tenths of a second of a core, whatever is in it, and broker and spool want the same
cores: taken as soon as there are rows, batches would be small, and the whole slow. So while many messages
wait at the broker, the next batch is waited for, as long as they may take to come: the last of them comes
earlier for it. When few do, what is there is given at once. The last part of a great flood is left to the
next batch: it comes while Spark works on this one, and is then soon done with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.clock import SystemClock
from penstock.errors import NotConnected

if TYPE_CHECKING:
    from penstock.pipelines.spool.filling import Filling
    from penstock.pipelines.spool.spool import Spool

__all__ = ["Flood"]

#: Messages below which a batch is not a flood's, and nobody asks what is still to come.
FLOOD: Final = 1_000
#: Messages a second that come, if broker and spool do what they can.
PACE: Final = 20_000
#: Seconds that a batch is gathered for at most; with half of it, 200,000 rows took a tenth longer. Seconds
#: for which nothing may come meanwhile, though something should. Seconds after which that is asked: at full
#: speed a lot comes every 40 ms.
GATHER_IN: Final = 4.0
STILL_IN: Final = 0.3
QUIET_IN: Final = 0.05
#: The part that is left to the next batch, and the messages that make it worth one. Measured, Spark works on
#: 160,000 rows for most of a second, in which a fifth as many come.
LAST_PART: Final = 1 / 5
WORTH_A_BATCH: Final = 10_000


class Flood:
    """Gathers batches of one spool, should there be one."""

    def __init__(self, spool: Spool, filling: Filling) -> None:
        self._spool = spool
        self._filling = filling
        self._clock = SystemClock()

    def __repr__(self) -> str:
        return f"<Flood into {self._spool}>"

    def gather(self, after: int, rows: int, size: int) -> None:
        """In a flood, wait until a batch has enough, or nothing more comes, or it takes too long."""
        if self._spool.taken - after < FLOOD:
            return
        known = self._known()
        last = int(LAST_PART * (known - after))
        if last >= WORTH_A_BATCH:
            rows = min(rows, known - after - last)
        until = self._clock.now() + min((known - self._spool.taken) / PACE, GATHER_IN)
        while not self._is_full(after, rows, size) and self._clock.now() < until:
            if self._spool.taken >= known or not self._grows(QUIET_IN):
                known = self._known()
                if known <= self._spool.taken or not self._grows(STILL_IN):
                    return

    def _known(self) -> int:
        """The last position of what the broker knows of, more or less.

        While messages come, some are on the line and not counted, and some are counted twice: waiting when
        the broker was asked, and in hand when its answer came. So whoever waits for the last one counts again
        when nothing comes; measured, one flood in two was waited for in vain otherwise, for `STILL_IN`.
        """
        taken = self._spool.taken
        try:
            return taken + self._filling.left()
        except NotConnected:
            return taken  # whoever waits for the next message hears of it

    def _grows(self, within: float) -> bool:
        """Wait for something to come, a little; whether it has."""
        return self._filling.wait_beyond(self._spool.taken, within)

    def _is_full(self, after: int, rows: int, size: int) -> bool:
        taken = self._spool.taken
        end = self._spool.reach(after, rows, size)
        return end < taken or end - after >= rows
