"""Ahead: the next batch is taken, and the last one committed, while Spark works on the one between.

On a Penstock broker both wait for its disk; measured with batches of 20,000 rows, they were a third of a
batch's time. Only a full batch is a reason to take another one ahead: otherwise the next would be what came
in a few milliseconds, and batches would become smaller and smaller.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from penstock.pipelines.source.taking import Taking

__all__ = ["Ahead"]

log = logging.getLogger(__name__)

#: Where a range begins, and its limits.
_Wanted = tuple[int, int, int, "int | None"]


class Ahead:
    """One thread that works for a planner; `close` it before the taking."""

    def __init__(self, taking: Taking) -> None:
        self._taking = taking
        self._worker = ThreadPoolExecutor(1, "penstock ahead")
        self._pending: tuple[_Wanted, Future[int]] | None = None

    def __repr__(self) -> str:
        return f"<Ahead of {self._taking}, {'taking' if self._pending is not None else 'idle'}>"

    def take(self, after: int, rows: int, size: int, target: int | None) -> int:
        """As `Taking.take`."""
        wanted = (after, rows, size, target)
        end = self._maybe_taken(wanted)
        if end <= after:
            end = self._taking.take(*wanted)
        if end - after == rows:
            following = (end, rows, size, target)
            self._pending = following, self._worker.submit(self._taking.take, *following)
        return end

    def _maybe_taken(self, wanted: _Wanted) -> int:
        """The end of what was taken ahead; nothing if that was for other limits."""
        if self._pending is None:
            return wanted[0]
        (known, future), self._pending = self._pending, None
        end = future.result()
        return end if known == wanted else wanted[0]

    def commit(self, position: int) -> None:
        """As `Taking.commit`, but soon; what goes wrong is tried again with the next."""
        self._worker.submit(self._commit, position)

    def _commit(self, position: int) -> None:
        try:
            self._taking.commit(position)
        except PenstockError as error:
            log.warning("position %d is committed later: %s", position, error)

    def close(self) -> None:
        """Wait for what is under way."""
        self._worker.shutdown()
