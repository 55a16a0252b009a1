"""Tables that are looked after."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting, UnknownTable
from penstock.pipelines.tables.committing import Batch
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.tending import tend
from tests.pipelines.tables.helpers import append, files_of, parquet_files, rows_of, spark_json

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = spark_json(n="long", day="date")
TODAY = date(2026, 1, 31)
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp()
DAY = 86400.0


@pytest.fixture
def place(tmp_path: Path) -> Location:
    """Six files: two rows for each of three days, one by one."""
    location = Location(str(tmp_path / "t"))
    for number in range(6):
        day = TODAY - timedelta(days=number % 3)
        append(location, SCHEMA, [{"n": number, "day": day}], partition_by=["day"], batch=Batch("q", number))
    return location


def test_small_files_become_one_for_each_partition(place: Location) -> None:
    done = tend(place, now=NOW)
    assert (done.gathered, done.made, done.expired) == (6, 3, 0)
    assert len(place.table().file_uris()) == 3
    assert sorted(row["n"] for row in rows_of(place)) == [0, 1, 2, 3, 4, 5]
    assert place.table().transaction_version("q") == 5, "batches are still recognised"
    assert str(done) == "6 files became 3, 0 rows were too old, 0 files that nobody needs are gone"


def test_rows_of_old_days_go(place: Location) -> None:
    assert tend(place, now=NOW, keep=DAY).expired == 2
    assert {row["day"] for row in rows_of(place)} == {TODAY, TODAY - timedelta(days=1)}


def test_files_that_nobody_needs_go_when_they_are_old_enough(place: Location) -> None:
    assert place.folder is not None
    # Given one that a killed writer left long ago, and one that is being written just now
    [left] = files_of(place, SCHEMA, [{"n": 7, "day": TODAY}], ["day"])
    [young] = files_of(place, SCHEMA, [{"n": 8, "day": TODAY}], ["day"])
    os.utime(place.folder / left.name, (NOW - 365 * DAY,) * 2)
    # When the table is tended
    done = tend(place, now=NOW, keep_files=2 * DAY)
    # Then only the first is gone
    assert done.removed == 1
    lying = [str(path.relative_to(place.folder)) for path in parquet_files(place.folder)]
    assert left.name not in lying
    assert young.name in lying
    assert len(rows_of(place)) == 6


def test_a_table_without_days_forgets_nothing(tmp_path: Path) -> None:
    location = Location(str(tmp_path))
    append(location, spark_json(n="long"), [{"n": 1}])
    with pytest.raises(BadSetting, match="not partitioned by day: what is too old"):
        tend(location, now=NOW, keep=1.0)


def test_there_must_be_a_table(tmp_path: Path) -> None:
    with pytest.raises(UnknownTable):
        tend(Location(str(tmp_path)), now=NOW)
