from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.reconcile.comparing import COPY, KIND, differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

SCHEMA = "key_0 bigint, key_1 string, content string"
SHARED = [(1, "a", "one"), (1, "b", "two"), (2, "a", "three"), (3, "a", "")]
#: Like the shared table; with one row missing, one changed and one too many; and without any.
SAME, OTHER = SHARED, [(1, "a", "one"), (1, "b", "2"), (3, "a", ""), (9, "é", "nine")]
NONE: list[tuple[int, str, str]] = []


def test_a_copy_is_told_apart_row_by_row_and_the_table_is_read_once(spark: SparkSession) -> None:
    read = spark.sparkContext.accumulator(0)

    def counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            read.add(batch.num_rows)
            yield batch

    shared = spark.createDataFrame(SHARED, SCHEMA).mapInArrow(counted, SCHEMA)
    copies = [spark.createDataFrame(rows, SCHEMA) for rows in (SAME, OTHER, NONE)]
    found = differences(shared, copies)
    assert sorted(tuple(row) for row in found.select("key_0", "key_1", COPY, KIND).collect()) == [
        (1, "a", 2, "created"),
        (1, "b", 1, "updated"),
        (1, "b", 2, "created"),
        (2, "a", 1, "created"),
        (2, "a", 2, "created"),
        (3, "a", 2, "created"),
        (9, "é", 1, "deleted"),
    ]
    assert read.value == len(SHARED)
