from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PythonException

from penstock.errors import BadSetting, SparkUnavailable
from penstock.pipelines.session import open_session
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


def test_python_workers_are_the_same_python(spark: SparkSession) -> None:
    def executable(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.record_batch({"program": [sys.executable]})

    (row,) = spark.range(1).mapInArrow(executable, "program string").collect()
    assert row.program == sys.executable


def test_a_day_begins_at_the_same_instant_everywhere(spark: SparkSession) -> None:
    (row,) = spark.sql("SELECT CAST(timestamp_seconds(0) AS string) AS text").collect()
    assert row.text == "1970-01-01 00:00:00"


def test_an_error_is_raised_and_not_written_to_the_terminal_as_well(
    spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise ValueError("a row that cannot be")

    with pytest.raises(AnalysisException):
        spark.sql("SELECT nowhere")
    with pytest.raises(PythonException, match="a row that cannot be"):
        spark.range(1).mapInArrow(fail, "id long").collect()
    assert capfd.readouterr() == ("", "")


def test_a_second_session_is_refused(spark: SparkSession) -> None:
    with pytest.raises(SparkUnavailable, match="open in this process, and Spark allows one"):
        open_session()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"master": "amqp://localhost"}, BadSetting, "no Spark master"),
        ({"memory": "plenty"}, BadSetting, "no size of memory"),
        (
            {"master": f"spark://127.0.0.1:{free_port()}"},
            SparkUnavailable,
            "no Spark master answers at spark://",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(
    arguments: dict[str, str], error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.core.context", None)
    monkeypatch.setattr("penstock.pipelines.session.Jvm", None)
    with pytest.raises(error, match=message):
        open_session(**arguments)  # type: ignore[arg-type]
