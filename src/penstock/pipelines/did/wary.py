"""Doing what may kill whoever does it.

    died of it, or at it     what is done
    less than two            it is done here
    two or more              it is done apart, so that nobody else dies of it
    five                     it is certain: it is to be set aside, with what has killed the last

What survives is struck out, whatever its outcome. The count is in the domain's database: whoever comes next,
after whatever has ended, knows it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from penstock.did.observing.tries import begin_try, end_tries
from penstock.errors import StoreError
from penstock.pipelines.did.apart import Died

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.database import DomainDatabase

__all__ = ["DEADLY", "SUSPECTED", "Deadly", "Wary"]

T = TypeVar("T")
R = TypeVar("R")

#: Deaths after which something is done apart, and after which it is set aside.
SUSPECTED: Final = 2
DEADLY: Final = 5


class Deadly(Exception):
    """Whoever does it dies; the text says how many have, and of what the last."""

    def __init__(self, told: str, *, is_certain: bool) -> None:
        super().__init__(told)
        #: Whether there is no use in trying again.
        self.is_certain = is_certain


class Wary(Generic[T, R]):
    """Does tasks, and counts who has died of them."""

    def __init__(
        self,
        database: DomainDatabase,
        *,
        here: Callable[[T], R],
        apart: Callable[[T], R],
        is_struck: Callable[[R], bool] = lambda _answer: False,
    ) -> None:
        """Nothing is done yet.

        Args:
            database: Where the count is.
            here: Does a task in this process.
            apart: Does it in a process of its own, and raises Died if that has died.
            is_struck: Whether an answer tells that the task was struck out with what it has stored.
        """
        self._database = database
        self._here = here
        self._apart = apart
        self._is_struck = is_struck

    def __repr__(self) -> str:
        return f"<Wary {self._here}>"

    def do(self, name: str, task: T) -> R:
        """Do a task that is known by that name, whoever is at it.

        Raises:
            Deadly: whoever does it has died, and not for the first time.
            StoreError: who has died before cannot be known now; nothing is done.
        """
        dead = self._database.do(begin_try, name)
        try:
            answer = self._here(task) if dead < SUSPECTED else self._apart(task)
        except Died as exc:
            told = f"whoever is at it dies: {dead + 1} have, the last {exc}"
            is_certain = dead + 1 >= DEADLY
            if is_certain:
                # Should somebody send it again, it gets another chance.
                self._strike_out(name)
            raise Deadly(told, is_certain=is_certain) from exc
        if not self._is_struck(answer):
            self._strike_out(name)
        return answer

    def _strike_out(self, name: str) -> None:
        with suppress(StoreError):
            self._database.do(end_tries, name)
