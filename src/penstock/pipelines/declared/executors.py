"""Whether the code of a pipeline can be imported where the work is done, found out before it starts.

Functions of a module travel by the module's name. If nobody has installed it on the cluster, that ends in a
stack trace from a worker, batch by batch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from penstock.errors import NotOnExecutors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

__all__ = ["demand_importable"]


def demand_importable(spark: SparkSession, modules: Iterable[str]) -> None:
    """Look whether the executors can import the modules.

    Raises:
        NotOnExecutors: one of them cannot; with the error that it had.
    """
    names = sorted(set(modules) - {"__main__", "builtins"})
    if not names:
        return
    context = spark.sparkContext
    at_once = context.defaultParallelism
    told = context.parallelize(range(at_once), at_once).mapPartitions(_importer(names)).distinct().collect()
    if told:
        hint = "install it where the executors run, or send it to them with --py-files"
        raise NotOnExecutors(f"the executors cannot import {'; '.join(sorted(told))}: {hint}")


def _importer(names: list[str]):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """A function for the executors; it is sent by value, since Penstock may be what they lack."""

    def import_them(_: Iterator[int]) -> Iterator[str]:
        for name in names:
            try:
                importlib.import_module(name)
            except Exception as exc:  # noqa: BLE001 (whatever a module's first lines raise)
                yield f"{name} ({type(exc).__name__}: {exc})"

    return import_them
