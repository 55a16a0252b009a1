"""Observing an anchor in a process of its own, which may die of it: then it is known what has killed whom.

    python -m penstock.pipelines.did.observing.apart < task > outcome

Where several anchors are observed at once, and Spark gives all of them up with one, nobody else could tell
the one that kills from its neighbours.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec

from penstock.did.anchoring import AnchorInfo

if TYPE_CHECKING:
    from penstock.did.observing import Outcome

__all__ = ["Apart", "Died"]


class Died(Exception):
    """The process has ended without an outcome; the text says how."""


class Task(msgspec.Struct):
    """What the process is told, where nobody sees it: places have passwords."""

    places: str
    info: bytes
    in_hurry: bool


class Apart:
    """Has anchors of a domain observed elsewhere."""

    def __init__(self, places: str, *, in_hurry: bool = False) -> None:
        """Nothing is started yet; the places are JSON."""
        self._places = places
        self._in_hurry = in_hurry

    def __repr__(self) -> str:
        return "<Apart>"

    def __call__(self, info: AnchorInfo) -> Outcome:
        """Have an anchor observed.

        Raises:
            Died: whoever did it is dead.
        """
        task = msgspec.json.encode(Task(self._places, info.encode(), self._in_hurry))
        command = [sys.executable, "-m", __name__]
        done = subprocess.run(command, input=task, stdout=subprocess.PIPE, check=False)  # noqa: S603 (our own)
        if done.returncode:
            raise Died(_told(done.returncode))
        outcome: Outcome = pickle.loads(done.stdout)  # noqa: S301 (our own)
        return outcome


def _told(code: int) -> str:
    return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"


def main() -> None:
    from penstock.pipelines.did.observing.executing import opened  # noqa: PLC0415 (it imports this)

    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
    observer = opened(task.places, in_hurry=task.in_hurry).observer
    sys.stdout.buffer.write(pickle.dumps(observer.observe(AnchorInfo.decode(task.info))))


if __name__ == "__main__":
    main()
