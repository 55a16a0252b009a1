"""How every Python of Spark's begins that is reached by a Unix socket: it leaves quietly if Spark hangs up.

    python -m penstock.pipelines.leaving pyspark.daemon pyspark.worker

A worker that reads nothing more tells Spark that this is an error. Over TCP that goes unheard; a Unix socket
says that nobody is there, and Python would print a page about that.
"""

from __future__ import annotations

import runpy
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pyspark import daemon

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["leaving_quietly", "run"]

#: What a worker says that is not to be used again.
DONE: Final = 1


def leaving_quietly(worker: Callable[..., int]) -> Callable[..., int]:
    """What pyspark.daemon does in a process that it has forked, but for the complaint."""

    def work(*given: object) -> int:
        try:
            return worker(*given)
        except BrokenPipeError:
            return DONE

    return work


def run(module: str) -> None:
    """Run a module as Python does with -m."""
    # Of all who fork workers: what they have of Spark is this module.
    daemon.worker = leaving_quietly(daemon.worker)
    if module == daemon.__name__:
        daemon.manager()
        return
    with suppress(BrokenPipeError):
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    del sys.argv[0]
    run(sys.argv[0])
