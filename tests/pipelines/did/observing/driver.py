"""A driver of its own that runs the observer, and is killed when it is to tell of what it has stored."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.did.domain.places import Places
from penstock.did.observing import Settling
from penstock.pipelines.session import open_session
from tests.pipelines.did.observing.node import Node

if TYPE_CHECKING:
    from penstock.did.observing import Seen


async def die(_: Settling, seen: Seen) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(places: str, folder: str) -> None:
    """Observe everything; nobody gets further than the first Like."""
    Settling._like = die  # type: ignore[assignment, method-assign]
    node = Node(Places.from_json(Path(places).read_text()), Path(folder))
    with (
        open_session("killed", "local[1]", brief=True, progress=False) as spark,
        node.observer(spark, once=True) as supervisor,
    ):
        supervisor.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
