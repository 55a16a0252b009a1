"""The process that Spark forks its Python workers from, with what they need imported already.

    python -m penstock.pipelines.forking pyspark.worker

Spark starts it in place of its own (spark.python.daemon.module) where `open_session` is told what to preload.
Else each worker imports all of it by itself: a second of work before the first row, and again after a minute
without any, since idle workers are ended. No module may start a thread when it is imported: it would not
live on in who is forked.
"""

from __future__ import annotations

import gc
import os
from importlib import import_module

from pyspark.daemon import manager

from penstock.pipelines.configuration import PRELOADED

__all__ = ["preload"]


def preload() -> None:
    """Import what the environment names."""
    for name in filter(None, os.environ.get(PRELOADED, "").split(",")):
        import_module(name)
    # A worker that looks through them for rubbish would have a copy of each made.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    preload()
    manager()
