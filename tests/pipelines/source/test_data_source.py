from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql.types import StringType, StructField, StructType

from penstock.pipelines.sink.writer import StreamQueueWriter
from penstock.pipelines.source import origin
from penstock.pipelines.source.data_source import PenstockDataSource
from penstock.pipelines.source.stream import QueueStream
from penstock.pipelines.source.table import QueueTable

if TYPE_CHECKING:
    from penstock.pipelines.options import SourceOptions

OPTIONS = {"url": "amqp://host", "queue": "q"}
COLUMNS = StructType([StructField("routing_key", StringType()), StructField("body", StringType())])


@pytest.fixture(autouse=True)
def _traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    # An error that passes would be seen in the environment of all tests that follow.
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")


def test_each_use_has_its_own_part() -> None:
    source = PenstockDataSource(OPTIONS)
    assert PenstockDataSource.name() == "penstock"
    assert isinstance(source.reader(COLUMNS), QueueTable)
    assert isinstance(source.streamReader(COLUMNS), QueueStream)
    sink = PenstockDataSource({"url": "amqp://host"})
    assert isinstance(sink.streamWriter(COLUMNS, overwrite=False), StreamQueueWriter)


def test_the_queue_is_looked_for_before_a_query_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def look(options: SourceOptions) -> None:
        seen.append(options.queue)

    monkeypatch.setattr(origin, "check_origin", look)
    assert "body" in PenstockDataSource(OPTIONS).schema().fieldNames()
    assert seen == ["q"]


def test_a_wrong_option_is_told_with_the_right_one() -> None:
    with pytest.raises(Exception, match="max_rows"):
        PenstockDataSource({**OPTIONS, "max_row": "7"}).schema()
