"""Cuts to outcomes: the transform of the batch writer. Executors do all that is work in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.did.writing.deadly import write_warily
from penstock.pipelines.did.writing.outcome import OUTCOMES, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from penstock.did.domain import Places

__all__ = ["write_files"]


def write_files(places: Places) -> Callable[[DataFrame], DataFrame]:
    """What makes outcomes of the cuts of a domain: `cut LONG` in, OUTCOMES out."""
    # In a closure, not in an option: a plan of Spark's is shown to people, and places have passwords.
    told = places.to_json()

    def written(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield table_of(write_warily(told, number) for number in batch.column("cut").to_pylist())

    def transform(cuts: DataFrame) -> DataFrame:
        return cuts.select("cut").mapInArrow(written, OUTCOMES)

    return transform
