"""Observing anchors that may kill whoever does it.

    died of it, or at it     what is done
    less than two            it is observed here
    two or more              it is observed apart, so that nobody else dies of it
    five                     it is set aside, with what has killed the last

What survives is struck out, whatever its outcome. The count is in the domain's database: whoever comes next,
after whatever has ended, knows it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.did.cas import HashLink
from penstock.did.observing import Outcome
from penstock.did.observing.tries import begin_try, end_tries
from penstock.errors import BadHashLink, NotAcceptable, StoreError, Unavailable
from penstock.pipelines.did.observing.apart import Died

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.anchoring import AnchorInfo
    from penstock.did.database import DomainDatabase
    from penstock.did.observing import Observer

__all__ = ["DEADLY", "SUSPECTED", "WaryObserver"]

#: Deaths after which an anchor is observed apart, and after which it is set aside.
SUSPECTED: Final = 2
DEADLY: Final = 5


class WaryObserver:
    """An observer that counts who has died."""

    def __init__(
        self, observer: Observer, database: DomainDatabase, *, apart: Callable[[AnchorInfo], Outcome]
    ) -> None:
        """Nothing is observed yet.

        Args:
            observer: Who does it here.
            database: Where the count is.
            apart: Does it in a process of its own, and raises Died if that has died.
        """
        self._observer = observer
        self._database = database
        self._apart = apart

    def __repr__(self) -> str:
        return f"<WaryObserver {self._observer!r}>"

    def observe(self, info: AnchorInfo) -> Outcome:
        """Observe an anchor; whatever is wrong with it is in the outcome."""
        try:
            name = HashLink.parse(info.hash_link).hash
            dead = self._database.do(begin_try, name)
        except (BadHashLink, StoreError) as exc:
            return Outcome(error=exc)
        try:
            outcome = self._observer.observe(info) if dead < SUSPECTED else self._apart(info)
        except Died as exc:
            told = f"whoever observes it dies: {dead + 1} have, the last {exc}"
            if dead + 1 < DEADLY:
                return Outcome(error=Unavailable(told), failed=name)
            outcome = Outcome(error=NotAcceptable(told), failed=name)
        if not _is_stored(outcome):
            with suppress(StoreError):
                self._database.do(end_tries, name)
        return outcome


def _is_stored(outcome: Outcome) -> bool:
    """Whether it was stored just now, and struck out with that."""
    return outcome.error is None and not any(seen.is_known for seen in outcome.seen)
