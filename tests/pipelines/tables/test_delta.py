"""The table as Spark writes and reads it: real queries, a killed driver, a full disk."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, date, datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it
from pyspark.sql.types import LongType, StructField, StructType

from penstock.errors import ColumnsChanged
from penstock.pipelines.tables import DeltaSink, read_delta, tend
from penstock.pipelines.tables.delta import DeltaSource, Written
from tests.pipelines.tables.helpers import parquet_files, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

ODD = "a b/c:%=ü"


def stream(spark: SparkSession, folder: Path, schema: str) -> DataFrame:
    """A stream of JSON files, one in each batch."""
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(folder))


def put(folder: Path, name: str, *rows: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(sink: DeltaSink, rows: DataFrame, checkpoint: Path) -> None:
    query = sink.stream(rows).option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()


def test_a_streams_rows_are_there_once_whatever_happens_between_its_runs(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Given a query that has written two batches
    inbox, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    sink = DeltaSink(str(tmp_path / "t"), partition_by=("day", "type"), key="id", time="at")
    put(inbox, "1", {"id": "1", "type": ODD, "at": "2026-01-31T12:00:00Z"})
    put(
        inbox,
        "2",
        {"id": "2", "type": "", "at": "2026-01-31T12:00:00Z"},
        {"id": "2", "type": "", "at": "2026-01-31T12:00:00Z"},
    )
    rows = stream(spark, inbox, "id string, type string, at timestamp").withColumn("day", F.to_date("at"))
    run(sink, rows, checkpoint)
    # When the last batch is forgotten, and run again
    (checkpoint / "commits" / "1").unlink()
    (checkpoint / "commits" / ".1.crc").unlink(missing_ok=True)
    version = sink.location.table().version()
    run(sink, rows, checkpoint)
    assert sink.location.table().version() == version
    # And when the whole checkpoint is lost, and there is a new column
    shutil.rmtree(checkpoint)
    put(inbox, "3", {"id": "3", "type": "x", "at": "2026-02-01T12:00:00Z", "colour": "red"})
    rows = stream(spark, inbox, "id string, type string, at timestamp, colour string").withColumn(
        "day", F.to_date("at")
    )
    run(sink, rows, checkpoint)
    # Then all are there once, and their values as they were
    at = datetime(2026, 1, 31, 12, tzinfo=UTC)
    expected: list[dict[str, Any]] = [
        {"id": "1", "type": ODD, "at": at, "day": date(2026, 1, 31), "colour": None},
        {"id": "2", "type": None, "at": at, "day": date(2026, 1, 31), "colour": None},
        {"id": "3", "type": "x", "at": at.replace(month=2, day=1), "day": date(2026, 2, 1), "colour": "red"},
    ]
    assert sorted(rows_of(sink.location), key=itemgetter("id")) == expected
    tend(sink.location, now=0.0)
    for found in (read_delta(spark, sink.path), sink.read(spark)):
        # Spark gives local times without a zone.
        shown = found.withColumn("at", F.date_format("at", "yyyy-MM-dd HH:mm")).orderBy("id").collect()
        assert [(row.id, row.type, row.day, row.colour) for row in shown] == [
            (row["id"], row["type"], row["day"], row["colour"]) for row in expected
        ]
        assert len({row.at for row in shown}) == 2


def test_what_does_not_fit_is_one_clear_error_before_anything_is_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    sink = DeltaSink(str(tmp_path / "t"))
    sink.write(spark.range(3), query="q", batch=1)
    sink.write(spark.range(3), query="q", batch=1)
    assert len(rows_of(sink.location)) == 3, "a batch with a name is written once"
    with pytest.raises(ColumnsChanged, match="column id is string, and long in the table"):
        sink.write(spark.range(1).select(F.col("id").cast("string")))
    sink.write(spark.range(1).select(F.col("id").cast("string")).select(F.lit(5).alias("id")), overwrite=True)
    assert rows_of(sink.location) == [{"id": 5}]


def numbers(*found: int) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"n": pa.array(found, pa.int64())})


def test_executor_and_driver_agree_on_what_is_written(tmp_path: Path) -> None:
    # Given the table as Spark's workers have it
    source = DeltaSource({"path": str(tmp_path), "key": "n"})
    schema = StructType([StructField("n", LongType())])
    stream = source.streamWriter(schema, overwrite=False)
    # When tasks write a batch, and one of another try is aborted
    done = stream.write(numbers(1, 2, 2))
    assert isinstance(done, Written)
    done.query = "q"
    stream.commit([done, None], 0)
    stream.commit([stream.write(numbers())], 1)
    stream.abort([stream.write(numbers(8))], 2)
    place = DeltaSink(str(tmp_path)).location
    assert sorted(row["n"] for row in rows_of(place)) == [1, 2]
    assert len(parquet_files(tmp_path)) == 1
    # And the batch writer adds what is new, or takes the place of all
    batches = source.writer(schema, overwrite=False)
    batches.commit([batches.write(numbers(2, 3))])
    batches.abort([batches.write(numbers(9))])
    assert source.schema() == schema
    reader = source.reader(schema)
    read = [
        row["n"] for part in reader.partitions() for rows in reader.read(part) for row in rows.to_pylist()
    ]
    assert sorted(read) == [1, 2, 3]
    over = DeltaSource({"path": str(tmp_path)}).writer(schema, overwrite=True)
    over.commit([over.write(numbers(5))])
    assert rows_of(place) == [{"n": 5}]


#: An executor and a driver without Spark between them, so that they can be harmed at the worst moment.
BATCH = """
import os, resource, signal, sys
import pyarrow as pa
from pyspark.sql.types import BinaryType, StructField, StructType
from penstock.pipelines.tables import committing, delta

path, harm = sys.argv[1:]
if harm == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
if harm == "killed":
    committing.AddAction = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
writer = delta.DeltaSource({"path": path}).streamWriter(StructType([StructField("id", BinaryType())]), False)
rows = pa.record_batch({"id": [os.urandom(1000) for _ in range(200)]})
done = writer.write(iter([rows]))
done.query = "q"
writer.commit([done], 0)
"""


def batch(path: Path, harm: str = "none") -> subprocess.CompletedProcess[str]:
    """The same batch of the same query, in a process of its own."""
    command = [sys.executable, "-c", BATCH, str(path), harm]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_a_driver_that_is_killed_between_files_and_log_leaves_no_row_twice(tmp_path: Path) -> None:
    # Given a driver that is killed when the files are written, and the log is not
    sink = DeltaSink(str(tmp_path))
    assert batch(tmp_path, "killed").returncode == -signal.SIGKILL
    assert len(parquet_files(tmp_path)) == 1
    # When the batch is run again, and once more
    assert (batch(tmp_path).returncode, batch(tmp_path).returncode) == (0, 0)
    # Then its rows are there once, and the orphan goes when it is old
    assert len(rows_of(sink.location)) == 200
    for file in parquet_files(tmp_path):
        os.utime(file, (0, 0))
    assert tend(sink.location, now=0.0).removed == 1
    assert len(rows_of(sink.location)) == 200


def test_a_full_disk_fails_the_batch_and_leaves_nothing_until_there_is_room(tmp_path: Path) -> None:
    sink = DeltaSink(str(tmp_path))
    failed = batch(tmp_path, "full")
    assert failed.returncode == 1
    assert "File too large" in failed.stderr
    assert parquet_files(tmp_path) == []
    assert sink.location.maybe_table() is None
    assert batch(tmp_path).returncode == 0
    assert len(rows_of(sink.location)) == 200


def test_a_batch_that_the_log_names_keeps_its_files_though_its_commit_failed(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Given a table that finds no room for the checkpoint of its log, which is made when a batch is in there
    inbox, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    put(inbox, "1", {"n": 1}, {"n": 2})
    sink, rows = DeltaSink(str(tmp_path / "t")), stream(spark, inbox, "n long")
    fields = pa.schema([("n", pa.int64())])
    DeltaTable.create(sink.path, fields, configuration={"delta.checkpointInterval": "1"})
    (tmp_path / "t" / "_delta_log" / f"{1:020}.checkpoint.parquet" / "in the way").mkdir(parents=True)
    # When Spark is told that the batch has failed, and runs it once more
    with pytest.raises(StreamingQueryException, match="could not be written"):
        run(sink, rows, checkpoint)
    run(sink, rows, checkpoint)
    # Then its rows are there, once
    assert sorted(row["n"] for row in rows_of(sink.location)) == [1, 2]
