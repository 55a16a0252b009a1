"""What is done when a pipeline fails: wait and try again, suspect its rows, or give up. Pure."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from penstock.client.backoff import Backoff
from penstock.client.settings import ClientSettings

if TYPE_CHECKING:
    import random

__all__ = ["Course", "Next"]

#: The wait after the first failure, and the longest; some of it is left to chance.
WAITS: Final = ClientSettings(backoff_initial=1.0, backoff_multiplier=2.0, backoff_max=60.0)


class Next(Enum):
    """What comes after a failure."""

    TRY_AGAIN = "try again"
    SUSPECT_ROWS = "suspect rows"
    GIVE_UP = "give up"


class Course:
    """The failures of one pipeline, batch by batch."""

    __slots__ = ("_at_batch", "_backoff", "_batch", "_give_up_after", "_suspect_after", "failures")

    def __init__(
        self, suspect_after: int, give_up_after: int | None = None, chance: random.Random | None = None
    ) -> None:
        """A course.

        Args:
            suspect_after: Failures of one batch after which its rows are suspected; then after as many more.
            give_up_after: Failures in a row after which nobody tries again; None is never.
            chance: Decides the exact waits.
        """
        self._suspect_after = suspect_after
        self._give_up_after = give_up_after
        self._backoff = Backoff(WAITS, chance)
        self._batch: int | None = None
        self._at_batch = 0
        #: Failures in a row, at whatever batch.
        self.failures = 0

    def went_on(self) -> None:
        """A batch is done."""
        self._backoff.reset()
        self._batch, self._at_batch, self.failures = None, 0, 0

    def failed(self, batch: int | None) -> Next:
        """It has failed, at a batch if one had begun; what comes next."""
        self.failures += 1
        self._at_batch = self._at_batch + 1 if batch == self._batch else 1
        self._batch = batch
        if self._give_up_after is not None and self.failures > self._give_up_after:
            return Next.GIVE_UP
        if batch is not None and self._at_batch % self._suspect_after == 0:
            return Next.SUSPECT_ROWS
        return Next.TRY_AGAIN

    def wait(self) -> float:
        """Seconds until the next attempt."""
        return self._backoff.next()

    def __repr__(self) -> str:
        return f"<Course: batch {self._batch} failed {self.failures} times>"
