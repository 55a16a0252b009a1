from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa

from penstock.pipelines.sink.showing import LONGEST, as_json, excerpt

BATCH = pa.record_batch(
    {
        "body": ["café".encode(), b"\xff" * 5000],
        "total": [Decimal("1.50"), None],
        "at": [dt.datetime(2026, 1, 2, tzinfo=dt.UTC), None],
        "headers": pa.array([[("a", "1")], None], pa.map_(pa.string(), pa.string())),
    }
)


def test_a_row_is_shown_as_people_read_it() -> None:
    shown = json.loads(excerpt(BATCH, 0))
    assert (shown["body"], shown["total"], shown["headers"]) == ("café", "1.50", {"a": "1"})
    assert shown["at"].startswith("2026-01-02")


def test_but_not_all_of_a_long_one() -> None:
    assert len(excerpt(BATCH, 1)) == LONGEST
    assert excerpt(BATCH, 1).endswith("…")


def test_all_of_it_is_as_spark_writes_it() -> None:
    assert json.loads(as_json(BATCH, 0))["body"] == "Y2Fmw6k="
    assert len(json.loads(as_json(BATCH, 1))["body"]) > 5000


def test_a_moment_that_only_spark_knows_is_shown_as_its_number() -> None:
    far, kind = 1_700_000_000_000_000_000, pa.timestamp("us", "UTC")
    batch = pa.record_batch({"n": [1], "at": pa.array([far], kind), "all": pa.array([[far]], pa.list_(kind))})
    assert json.loads(as_json(batch, 0)) == {"n": 1, "at": far, "all": "date value out of range"}
