"""What the log tells of a file, held against real files."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from penstock.pipelines.tables.statistics import MOST, file_statistics


def told(table: pa.Table, rows_in_a_group: int = 2) -> dict[str, Any]:
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=rows_in_a_group)
    found: dict[str, Any] = json.loads(file_statistics(pq.read_metadata(file)))
    return found


def test_bounds_span_all_row_groups() -> None:
    at = [datetime(2026, 1, day, 1, 2, 3, 4, tzinfo=UTC) for day in (3, 1, 2)]
    found = told(
        pa.table(
            {
                "n": [3, None, 1],
                "name": ["b", "c", "a"],
                "at": pa.array(at, pa.timestamp("us", "UTC")),
                "day": [date(2026, 1, 1)] * 3,
                "x": [0.5, 1.5, 2.5],
            }
        )
    )
    assert found["numRecords"] == 3
    assert found["nullCount"] == {"n": 1, "name": 0, "at": 0, "day": 0, "x": 0}
    assert found["minValues"] == {
        "n": 1,
        "name": "a",
        "at": "2026-01-01T01:02:03.000004Z",
        "day": "2026-01-01",
        "x": 0.5,
    }
    assert found["maxValues"]["name"] == "c"
    assert found["maxValues"]["at"] == "2026-01-03T01:02:03.000004Z"


def test_what_has_no_order_or_is_too_long_has_no_bounds() -> None:
    found = told(
        pa.table(
            {
                "body": [b"x"],
                "flag": [True],
                "text": ["x" * 65],
                "inf": [float("inf")],
                "none": pa.array([None], pa.int64()),
                "inside": [{"a": 1}],
            }
        )
    )
    assert found["minValues"] == {}
    assert found["nullCount"]["none"] == 1
    assert "inside.a" not in found["nullCount"]


def test_a_group_of_nulls_does_not_hide_the_others_bounds() -> None:
    assert told(pa.table({"n": [None, None, 5]}))["minValues"] == {"n": 5}


def test_only_the_first_columns_are_told_of() -> None:
    found = told(pa.table({f"c{number}": [number] for number in range(MOST + 5)}))
    assert len(found["minValues"]) == MOST


def test_a_moment_beyond_the_calendar_is_no_bound() -> None:
    far = pa.array([0, 1_700_000_000_000_000_000], pa.timestamp("us", "UTC"))
    found = told(pa.table({"at": far, "day": pa.array([0, 2**31 - 1], pa.date32()), "n": [1, 2]}), 1)
    assert found["maxValues"] == {"n": 2}
    assert found["nullCount"] == {"at": 0, "day": 0, "n": 0}
