from __future__ import annotations

import io

import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest

from penstock.client import writing
from penstock.client.writing import requests_of
from penstock.wire.amqp import CannotEncode
from penstock.wire.arrow import read_outgoing, read_stream


def bodies(stream: bytes) -> list[bytes]:
    return [body for batch in read_stream(io.BytesIO(stream)) for body in read_outgoing(batch).bodies]


def test_a_small_table_is_one_request() -> None:
    [(count, stream)] = requests_of(pa.table({"body": ["a", "b"]}), "", "q")
    assert (count, bodies(stream)) == (2, [b"a", b"b"])


def test_a_large_table_is_cut_by_size_and_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"body": [b"%4d" % number for number in range(1000)]})
    monkeypatch.setattr(writing, "REQUEST", 2000)
    by_size = list(requests_of(table, "", "q"))
    assert len(by_size) > 3
    monkeypatch.undo()
    monkeypatch.setattr(writing, "ROWS", 300)
    by_rows = list(requests_of(table, "", "q"))
    assert [count for count, _ in by_rows] == [300, 300, 300, 100]
    for requests in (by_size, by_rows):
        assert [body for _, stream in requests for body in bodies(stream)] == table["body"].to_pylist()


def test_a_row_larger_than_a_request_goes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "REQUEST", 10)
    assert [count for count, _ in requests_of(pa.table({"body": ["x" * 99] * 2}), "", "q")] == [1, 1]


def test_an_empty_table_is_no_request() -> None:
    assert list(requests_of(pa.table({"body": pa.array([], pa.string())}), "", "q")) == []


def test_the_index_of_a_frame_is_no_column_of_a_message() -> None:
    frame = pd.DataFrame({"body": ["a", "b"]}, index=["x", "y"])
    [(count, _)] = requests_of(frame, "", "q")
    assert count == 2


def test_what_is_no_table_is_said_to_be_none() -> None:
    with pytest.raises(CannotEncode, match="list does not"):
        list(requests_of([{"body": "a"}], "", "q"))


def test_a_bad_row_is_counted_from_where_its_request_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "ROWS", 2)
    with pytest.raises(CannotEncode, match=r"row 1: .* \(rows are counted from 2\)"):
        list(requests_of(pa.table({"body": ["a", "b", "c", None]}), "", "q"))
