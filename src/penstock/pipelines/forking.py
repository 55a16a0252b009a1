"""The process that Spark forks its Python workers from, with what they need imported already.

    python -m penstock.pipelines.forking pyspark.worker

Spark starts it in place of its own (spark.python.daemon.module) where `open_session` is told what to preload.
Else each worker imports all of it by itself: a second of work before the first row, and again after a minute
without any, since idle workers are ended. No module may start a thread when it is imported: it would not
live on in who is forked. Of those that numpy and pyarrow would start, nobody needs any.
"""

from __future__ import annotations

import gc
import os
from importlib import import_module
from typing import Final

from pyspark.daemon import manager

from penstock.pipelines.configuration import PRELOADED

__all__ = ["THREADLESS", "preload"]

#: What has libraries start no thread when they are imported: numpy's are for matrices, of which a worker has
#: none, and pyarrow's tidies up a heap that it does not use.
THREADLESS: Final = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


def preload() -> None:
    """Import what the environment names."""
    os.environ.update(THREADLESS)
    for name in filter(None, os.environ.get(PRELOADED, "").split(",")):
        import_module(name)
    # A worker that looks through them for rubbish would have a copy of each made.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    preload()
    manager()
