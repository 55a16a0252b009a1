"""Files as rows again; reading with Spark is in test_delta.py."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyspark.sql.types import DateType, LongType, StringType, StructField, StructType

from penstock.errors import TableError, UnknownTable
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.reading import DeltaReader, completed, read_delta, spark_schema
from tests.pipelines.tables.helpers import append, spark_json

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SCHEMA = StructType(
    [StructField("n", LongType()), StructField("day", DateType()), StructField("kind", StringType())]
)


def test_what_a_file_does_not_hold_is_the_partitions_or_null() -> None:
    wanted = pa.schema([("n", pa.int64()), ("day", pa.date32()), ("kind", pa.string()), ("late", pa.int32())])
    file = pa.record_batch({"n": pa.array([1, 2], pa.int32())})
    assert completed(file, {"day": date(2026, 1, 31), "kind": None}, wanted).to_pylist() == [
        {"n": number, "day": date(2026, 1, 31), "kind": None, "late": None} for number in (1, 2)
    ]


def test_a_table_is_read_file_by_file(tmp_path: Path) -> None:
    place = Location(str(tmp_path))
    schema = spark_json(n="long", day="date", kind="string")
    rows = [
        {"n": number, "day": date(2026, 1, 31), "kind": kind} for number, kind in enumerate(("ü /", None))
    ]
    append(place, schema, rows, partition_by=["day", "kind"])
    assert spark_schema(place.table()) == SCHEMA
    reader = DeltaReader(place, SCHEMA)
    found = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
    assert sorted(found, key=lambda row: int(row["n"])) == rows


def test_a_table_is_read_as_it_was_wherever_it_lies(spark: SparkSession, tmp_path: Path) -> None:
    # Given a table of which Spark itself cannot read the files: it takes their folder for another
    place = Location(str(tmp_path))
    schema = spark_json(n="long", kind="string")
    for number in range(3):
        append(place, schema, [{"n": number, "kind": "ü"}], partition_by=["kind"])
    version = place.table().version()
    # Then each version has the rows that it had
    assert sorted(row.n for row in read_delta(spark, tmp_path).collect()) == [0, 1, 2]
    assert sorted(row.n for row in read_delta(spark, tmp_path, version=version - 1).collect()) == [0, 1]
    # And what was read stays as it was
    found = read_delta(spark, tmp_path)
    append(place, schema, [{"n": 3, "kind": "ü"}], partition_by=["kind"])
    assert found.count() == 3
    with pytest.raises(TableError, match="cannot be read at version 99"):
        read_delta(spark, tmp_path, version=99)


def test_a_table_that_is_not_there_or_not_for_us(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnknownTable, match="there is no Delta table at"):
        read_delta(spark, tmp_path / "none")
    place = Location(str(tmp_path))
    append(place, spark_json(n="long"), [])
    assert read_delta(spark, tmp_path, version=0).collect() == []
    protocol = place.table().protocol()._replace(reader_features=["deletionVectors", "timestampNtz"])
    monkeypatch.setattr("deltalake.DeltaTable.protocol", lambda _: protocol)
    with pytest.raises(TableError, match="uses deletionVectors, which only a Delta reader of Spark's knows"):
        read_delta(spark, tmp_path)
