"""Doing a task in a process of its own, which may die of it: then it is known what has killed whom.

    python -m penstock.pipelines.did.apart < task > answer

Where several tasks are done at once, and Spark gives all of them up with one, nobody else could tell the one
that kills from its neighbours.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Apart", "Died"]

T = TypeVar("T")
R = TypeVar("R")


class Died(Exception):
    """The process has ended without an answer; the text says how."""


class Apart(Generic[T, R]):
    """Has tasks of a domain done elsewhere."""

    def __init__(self, work: Callable[[str, T], R], places: str) -> None:
        """Nothing is started yet.

        Args:
            work: Takes places as JSON, and a task. It travels by its name.
            places: The domain's; they have passwords, and go where nobody sees them.
        """
        self._work = work
        self._places = places

    def __repr__(self) -> str:
        return f"<Apart {self._work}>"

    def __call__(self, task: T) -> R:
        """Have a task done.

        Raises:
            Died: whoever did it is dead.
        """
        told = pickle.dumps((self._work, self._places, task))
        command = [sys.executable, "-m", __name__]
        done = subprocess.run(command, input=told, stdout=subprocess.PIPE, check=False)  # noqa: S603 (our own)
        if done.returncode:
            raise Died(_told(done.returncode))
        answer: R = pickle.loads(done.stdout)  # noqa: S301 (our own)
        return answer


def _told(code: int) -> str:
    return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"


def main() -> None:
    work, places, task = pickle.load(sys.stdin.buffer)  # noqa: S301 (our own)
    sys.stdout.buffer.write(pickle.dumps(work(places, task)))


if __name__ == "__main__":
    main()
