"""The process that Spark forks its Python workers from, on this machine.

    python -m penstock.pipelines.forking pyspark.worker

Spark starts it in place of its own (spark.python.daemon.module). What workers need is imported in it, where
`open_session` is told what to preload: else each worker imports all of it by itself, a second of work before
the first row, and again after a minute without any, since idle workers are ended. No module may start a
thread when it is imported: it would not live on in who is forked.
"""

from __future__ import annotations

import gc
import os
from importlib import import_module
from typing import TYPE_CHECKING, Final

from pyspark import daemon

from penstock.pipelines.configuration import PRELOADED

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["leaving_quietly", "preload"]

#: What a worker says who is not to be used again.
DONE: Final = 1


def preload() -> None:
    """Import what the environment names."""
    for name in filter(None, os.environ.get(PRELOADED, "").split(",")):
        import_module(name)
    # A worker that looks through them for rubbish would have a copy of each made.
    gc.collect()
    gc.freeze()


def leaving_quietly(worker: Callable[..., int]) -> Callable[..., int]:
    """A worker of Spark's to whom it is no news that Spark has hung up.

    Spark does so on who was idle for a minute. The worker tells it that this is an error, which goes unheard
    over TCP; a Unix socket says that nobody is there, and the worker would print a page about it.
    """

    def work(*given: object) -> int:
        try:
            return worker(*given)
        except BrokenPipeError:
            return DONE

    return work


if __name__ == "__main__":
    preload()
    daemon.worker = leaving_quietly(daemon.worker)
    daemon.manager()
