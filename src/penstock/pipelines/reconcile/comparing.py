"""What differs between a table and its copies, as a Spark join. Transforms only: DataFrame → DataFrame.

Rows are compared by a hash of 64 bits of their content, made before the join: what is shuffled and sorted is
a key and a number, less than half the work of carrying the columns along. One change in
18,446,744,073,709,551,616 is missed because both states have the same hash.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from penstock.pipelines.databases.port import CONTENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

__all__ = ["COPY", "KIND", "differences", "digested"]

#: Number of the copy that a row differs in, and what its database must be told: created, updated or deleted.
COPY = "copy"
KIND = "kind"


def differences(shared: DataFrame, copies: Sequence[DataFrame]) -> DataFrame:
    """The keys of rows that a copy lacks, has otherwise, or has too many.

    The shared table is read and shuffled once, however many copies there are: Spark sees that all joins ask
    for the same.
    """
    here = digested(shared)
    return reduce(
        lambda all_, more: all_.unionByName(more),
        (_difference(here, digested(copy)).withColumn(COPY, f.lit(n)) for n, copy in enumerate(copies)),
    )


def digested(rows: DataFrame) -> DataFrame:
    """Rows by their key, and what their content comes to."""
    keys = [column for column in rows.columns if column != CONTENT]
    return rows.select(*keys, f.xxhash64(CONTENT).alias("digest"))


def _difference(here: DataFrame, there: DataFrame) -> DataFrame:
    keys = [column for column in here.columns if column != "digest"]
    joined = here.withColumnRenamed("digest", "here").join(
        there.withColumnRenamed("digest", "there"), on=keys, how="full_outer"
    )
    kind = (
        f.when(f.col("there").isNull(), f.lit("created"))
        .when(f.col("here").isNull(), f.lit("deleted"))
        .when(f.col("here") != f.col("there"), f.lit("updated"))
    )
    return joined.select(*keys, kind.alias(KIND)).where(f.col(KIND).isNotNull())
