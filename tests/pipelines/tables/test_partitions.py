"""How rows are cut up, and what a partition is called."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from penstock.errors import TableError
from penstock.pipelines.tables.partitions import cut_up, folder_of, written


def test_rows_keep_their_order_and_lose_the_partitions_columns() -> None:
    batch = pa.record_batch(
        {"n": [1, 2, 3, 4], "kind": ["a", "b", "a", None], "big": [True, True, True, True]}
    )
    found = {values: rows.to_pydict() for values, rows in cut_up(batch, ["kind", "big"])}
    assert found == {
        (("kind", "a"), ("big", "true")): {"n": [1, 3]},
        (("kind", "b"), ("big", "true")): {"n": [2]},
        (("kind", None), ("big", "true")): {"n": [4]},
    }


def test_without_partitions_all_rows_stay_together() -> None:
    batch = pa.record_batch({"n": [1, 2]})
    assert list(cut_up(batch, [])) == [((), batch)]


def test_rows_of_one_partition_are_not_copied() -> None:
    batch = pa.record_batch({"n": [1, 2], "kind": ["a", "a"]})
    [(_, rows)] = cut_up(batch, ["kind"])
    assert rows.column("n").buffers()[1].address == batch.column("n").buffers()[1].address


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        ("a b", "a b"),
        (0, "0"),
        (False, "false"),
        (date(2026, 1, 31), "2026-01-31"),
        (datetime(2026, 1, 31, 12, tzinfo=UTC), "2026-01-31 12:00:00.000000"),
    ],
)
def test_a_value_as_the_log_has_it(value: Any, expected: str | None) -> None:
    assert written(value, "x") == expected


def test_what_names_no_folder_is_refused() -> None:
    with pytest.raises(TableError, match="column price cannot be partitioned by: float names no folder"):
        written(1.5, "price")


def test_a_folder_holds_no_character_that_means_something() -> None:
    assert folder_of((("type", "a/b=ü"), ("day", None))) == (
        "type=a%2Fb%3D%C3%BC/day=__HIVE_DEFAULT_PARTITION__/"
    )
    assert folder_of(()) == ""
