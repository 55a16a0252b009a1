from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from penstock.errors import NotConnected, NotOnExecutors
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source import patience, reading
from penstock.pipelines.source.partition import Range
from penstock.pipelines.source.reading import read_range
from tests.pipelines.source.takings import MemoryTaking

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPTIONS = SourceOptions.read({"url": "amqp://host", "queue": "q", "columns": "position"})


class Breaking(MemoryTaking):
    """Each connection brings two batches of ten, and breaks."""

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        assert columns == ("position",)
        for first in range(start + 1, min(start + 21, end + 1), 10):
            last = min(first + 9, end)
            yield pa.record_batch({"position": pa.array(range(first, last + 1), pa.int64())})
        if end > start + 20:
            raise NotConnected("the connection broke")


def test_a_reading_goes_on_where_it_broke_off(monkeypatch: pytest.MonkeyPatch) -> None:
    taking = Breaking()
    monkeypatch.setattr(reading, "open_origin", lambda _: taking)
    monkeypatch.setattr(patience, "AGAIN_IN", 0.0)

    rows = [row["position"] for batch in read_range(OPTIONS, Range(5, 72)) for row in batch.to_pylist()]

    assert rows == list(range(6, 73))
    assert taking.is_closed


def test_an_empty_range_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "open_origin", lambda _: MemoryTaking())

    assert list(read_range(OPTIONS, Range(5, 5))) == []


def test_a_type_that_an_executor_does_not_have_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")
    options = SourceOptions.read({"url": "amqp://host", "queue": "q", "schema_type": "nowhere.Order"})

    with pytest.raises(
        NotOnExecutors, match=r"^an executor has no nowhere\.Order .*addPyFile or --py-files$"
    ):
        next(read_range(options, Range(0, 1)))
