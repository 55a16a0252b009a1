"""Upserts as a query makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import ColumnsChanged, TableError
from penstock.pipelines.tables.upserts import UpsertSink

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def sink(tmp_path: Path) -> UpsertSink:
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE orders (id int PRIMARY KEY, changed int, name text)"))
    engine.dispose()
    return UpsertSink(url, "orders", key=("id",), order="changed", delete="gone")


def test_a_streams_rows_are_upserted_once(spark: SparkSession, sink: UpsertSink, tmp_path: Path) -> None:
    # Given a stream with a new, a changed and a deleted row
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "1").write_text(
        '{"id": 1, "changed": 1, "name": "a"}\n{"id": 2, "changed": 2, "name": "c"}\n'
        '{"id": 2, "changed": 1, "name": "b"}\n'
        '{"id": 3, "changed": 1, "gone": true}\n'
    )
    rows = spark.readStream.schema("id int, changed int, name string, gone boolean").json(str(folder))
    writer = sink.stream(rows).option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    # When it is run, and its batch is run again after somebody else has changed a row
    writer.start().awaitTermination()
    engine = sa.create_engine(sink.url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE orders SET name = 'by hand' WHERE id = 1"))
    (checkpoint / "commits" / "0").unlink()
    writer.start().awaitTermination()
    # Then the second time was no change
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(sa.text("SELECT * FROM orders ORDER BY id"))]
    engine.dispose()
    assert found == [(1, 1, "by hand"), (2, 2, "c")]


def test_rows_that_do_not_fit_are_told_before_anything_is_started(sink: UpsertSink) -> None:
    sink.check(["id", "changed", "name", "gone"])
    with pytest.raises(ColumnsChanged, match="the rows have no column gone; they have id, changed"):
        sink.check(["id", "changed"])
    with pytest.raises(ColumnsChanged, match="table orders has no column colour"):
        sink.check(["id", "changed", "gone", "colour"])
    with pytest.raises(TableError, match="which columns tell rows of orders apart"):
        UpsertSink(sink.url, "orders", key=()).check(["id"])
    assert "shop.db" not in repr(sink), "a password may be in it"


def test_a_batch_of_no_query_is_refused(spark: SparkSession, sink: UpsertSink) -> None:
    with pytest.raises(TableError, match="belongs to a streaming query"):
        sink.apply(spark.range(1), 0)
