"""A driver of its own that runs the observer, and is killed when it is to tell of what it has stored."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.did.domain.places import Places
from penstock.did.observing import Settling
from penstock.pipelines.did.session import MODULES, open_did_session
from tests.pipelines.did.observing.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.did.observing import Seen


async def die(_: Settling, seen: Seen) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def preloaded(_rows: Iterable[int]) -> Iterator[bool]:
    """Whether a worker has what it needs from the first moment on."""
    yield all(name in sys.modules for name in MODULES)


def main(places: str, folder: str) -> None:
    """Observe everything; nobody gets further than the first Like."""
    Settling._like = die  # type: ignore[assignment, method-assign]
    node = Node(Places.from_json(Path(places).read_text()), Path(folder))
    with (
        open_did_session("killed", "local[1]", progress=False) as spark,
        node.observer(spark, once=True) as supervisor,
    ):
        assert spark.sparkContext.parallelize([1], 1).mapPartitions(preloaded).collect() == [True]
        supervisor.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
