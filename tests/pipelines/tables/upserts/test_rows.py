"""What a batch changes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from penstock.errors import TableError
from penstock.pipelines.tables.upserts.rows import changes_of, plain

ROWS = pa.table(
    {
        "id": [1, 2, 1, 3, 2],
        "at": pa.array([5, 1, 4, None, 1]),
        "name": ["new", "first", "old", "c", "second"],
        "gone": [False, None, True, True, False],
    }
)


def test_the_last_row_of_a_key_by_its_order() -> None:
    found = changes_of(ROWS, key=["id"], order="at", delete="gone")
    assert found.columns == ("id", "at", "name")
    assert sorted(found.upserts) == [(1, 5, "new"), (2, 1, "second")]
    assert found.deletes == [(3, None)]
    assert len(found) == 3


def test_without_an_order_whichever_comes_last() -> None:
    found = changes_of(ROWS, key=["id"], delete="gone")
    assert found.upserts == [(2, 1, "second")]
    assert sorted(found.deletes) == [(1,), (3,)]


def test_without_a_flag_nothing_is_deleted() -> None:
    found = changes_of(ROWS, key=["id", "name"])
    assert (len(found.upserts), found.deletes) == (5, [])


def test_a_row_without_a_key_is_told() -> None:
    with pytest.raises(TableError, match="1 rows have no at, which is their key"):
        changes_of(ROWS, key=["at"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1),
        (b"x", b"x"),
        (None, None),
        (datetime(2026, 1, 31, tzinfo=UTC), "2026-01-31T00:00:00+00:00"),
        (date(2026, 1, 31), "2026-01-31"),
        (time(1, 2), "01:02:00"),
        (timedelta(seconds=2), 2.0),
        (Decimal("1.50"), "1.50"),
        ({"a": [1]}, '{"a": [1]}'),
    ],
)
def test_values_as_sqlite_has_them(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_nested_values_are_json_everywhere() -> None:
    rows = pa.table({"id": [1], "tags": [["a", "b"]], "at": [datetime(2026, 1, 31, tzinfo=UTC)]})
    [(_, tags, at)] = changes_of(rows, key=["id"]).upserts
    assert (tags, at) == ('["a", "b"]', datetime(2026, 1, 31, tzinfo=UTC))
    [(_, _, at)] = changes_of(rows, key=["id"], as_plain=True).upserts
    assert at == "2026-01-31T00:00:00+00:00"


def test_a_map_is_an_object() -> None:
    counts = pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))
    assert changes_of(pa.table({"id": [1], "counts": counts}), key=["id"]).upserts == [(1, '{"a": 1}')]


def test_a_moment_that_only_spark_knows_is_told() -> None:
    far = pa.array([0, 1_700_000_000_000_000_000], pa.timestamp("us", "UTC"))
    with pytest.raises(TableError, match="column at: date value out of range"):
        changes_of(pa.table({"id": [1, 2], "at": far}), key=["id"])
