from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from penstock.errors import NoRowToBlame
from penstock.pipelines.declared import Parquet, Pipeline, Rate
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.poison import PoisonRow, poison_in, set_aside, without
from tests.pipelines.declared.threads import NO_TITLE, POISON, SCHEMA, loudly, plainly, row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from penstock.pipelines.declared.pipeline import Transform


def piped(transform: Transform) -> Pipeline:
    return Pipeline(name="threads", source=Rate(), sink=Parquet("nowhere"), transform=transform)


def test_poison_is_found_in_a_batch_and_the_rest_is_without_it(spark: SparkSession) -> None:
    batch = spark.createDataFrame([row(each) for each in range(5, 9)], SCHEMA)
    [found] = poison_in(piped(loudly), batch)
    assert found.reason == NO_TITLE
    assert json.loads(found.row) == {"id": POISON, "title": None}
    rest = without(batch, [found])
    assert sorted(each.id for each in rest.collect()) == [5, 6, 8]


def test_a_worker_that_dies_of_a_row_is_found_out_too(spark: SparkSession) -> None:
    def deadly(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for each in batches:
            if POISON in each.column("id").to_pylist():
                os._exit(1)
            yield each

    batch = spark.createDataFrame([row(each) for each in range(5, 9)], SCHEMA)
    [found] = poison_in(piped(lambda rows: rows.mapInArrow(deadly, SCHEMA)), batch)
    assert json.loads(found.row)["id"] == POISON
    assert "worker exited unexpectedly" in found.reason


def test_a_batch_that_works_has_nobody_to_blame(spark: SparkSession) -> None:
    batch = spark.createDataFrame([row(1)], SCHEMA)
    with pytest.raises(NoRowToBlame, match="no row of the batch fails on its own"):
        poison_in(piped(plainly), batch)


def test_a_search_ends_when_nobody_wants_to_know_any_more(spark: SparkSession) -> None:
    batch = spark.createDataFrame([row(1)], SCHEMA)
    with pytest.raises(NoRowToBlame, match="the search was broken off"):
        poison_in(piped(loudly), batch, lambda: True)


def test_a_transform_that_fails_without_rows_has_nobody_to_blame_either(spark: SparkSession) -> None:
    batch = spark.createDataFrame([row(1)], SCHEMA)
    with pytest.raises(NoRowToBlame, match=r"it fails without any rows: \[UNRESOLVED_COLUMN"):
        poison_in(piped(lambda rows: rows.select("no_such_column")), batch)


def test_rows_set_aside_are_kept_once_however_often_that_is_tried(tmp_path: Path) -> None:
    place = Place(tmp_path, "threads")
    first = PoisonRow(digest="aa", row='{"id": 1}', reason="no title")
    other = PoisonRow(digest="bb", row='{"id": 2}', reason="too long")
    mark = set_aside(place, 3, [first], now=1.0)
    assert set_aside(place, 3, [first], now=2.0) == mark
    # After a reset, numbers of batches begin anew.
    assert set_aside(place, 3, [other], now=3.0) != mark
    kept = [json.loads(line) for file in place.set_aside.iterdir() for line in file.read_text().splitlines()]
    assert sorted(kept, key=lambda each: each["at"]) == [
        {"batch": 3, "at": 2.0, "reason": "no title", "row": {"id": 1}},
        {"batch": 3, "at": 3.0, "reason": "too long", "row": {"id": 2}},
    ]
