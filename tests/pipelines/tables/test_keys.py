"""Which rows a table has already."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from penstock.pipelines.tables import keys as keys_module
from penstock.pipelines.tables.keys import Key, KnownKeys, _Remembered
from penstock.pipelines.tables.location import Location
from tests.pipelines.tables.helpers import append, spark_json

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = spark_json(id="string", at="timestamp", kind="string")
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
A = (("kind", "a"),)


def batch(*ids: str | None, at: datetime | None = NOON) -> pa.RecordBatch:
    return pa.record_batch(
        {"id": pa.array(ids, pa.string()), "at": pa.array([at] * len(ids), pa.timestamp("us", "UTC"))}
    )


@pytest.fixture
def place(tmp_path: Path) -> Location:
    location = Location(str(tmp_path / "t"))
    for hour, ids in enumerate(("12", "34")):
        at = NOON + timedelta(hours=hour)
        append(location, SCHEMA, [{"id": i, "at": at, "kind": "a"} for i in ids], partition_by=["kind"])
    return location


def fresh(
    place: Location, rows: pa.RecordBatch, values: Any = A, time: str | None = "at"
) -> list[str | None]:
    found: list[str | None] = KnownKeys(place, Key("id", time)).fresh(values, rows).column("id").to_pylist()
    return found


def test_a_row_that_is_there_is_left_out(place: Location) -> None:
    assert fresh(place, batch("0", "1", "2", "9")) == ["0", "9"]


def test_doubles_among_the_new_ones_are_left_out_too(place: Location) -> None:
    known = KnownKeys(place, Key("id", "at"))
    assert known.fresh(A, batch("7", "8", "7")).column("id").to_pylist() == ["7", "8"]
    assert known.fresh(A, batch("8", "9")).column("id").to_pylist() == ["9"]


def test_a_row_of_a_time_beyond_the_calendar_is_looked_for_everywhere(place: Location) -> None:
    far = pa.array([1_700_000_000_000_000_000] * 2, pa.timestamp("us", "UTC"))
    assert fresh(place, pa.record_batch({"id": ["1", "9"], "at": far})) == ["9"]


def test_rows_without_a_key_stay(place: Location) -> None:
    assert fresh(place, batch(None, None, "")) == [None, None, ""]


def test_a_key_is_looked_for_in_its_own_partition(place: Location) -> None:
    assert fresh(place, batch("1"), values=(("kind", "b"),)) == ["1"]


def test_only_files_of_the_same_time_are_read(place: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(_: Location, name: str, __: str) -> list[pa.Array]:
        read.append(name)
        return []

    monkeypatch.setattr(keys_module, "_keys_of", noted)
    fresh(place, batch("1"))
    assert len(read) == 1
    fresh(place, batch("1", at=None))
    fresh(place, batch("1"), time=None)
    fresh(place, batch("1").drop_columns("at"))
    assert len(read) == 1 + 3 * 2, "who has no time may be anywhere"


def test_a_table_that_is_yet_to_be_made_has_no_keys(tmp_path: Path) -> None:
    assert fresh(Location(str(tmp_path)), batch("1")) == ["1"]


def test_files_from_before_there_was_a_key_have_none(tmp_path: Path) -> None:
    location = Location(str(tmp_path))
    append(location, spark_json(kind="string", n="long"), [{"kind": "a", "n": 1}], partition_by=["kind"])
    assert fresh(location, batch("1")) == ["1"]


def test_keys_are_remembered_up_to_a_limit() -> None:
    kept = _Remembered(most=3)
    for name in "abc":
        kept.put(("t", name, "id"), [pa.array([name, name])])
        kept.get(("t", "a", "id"))
    assert kept.get(("t", "b", "id")) is None
    assert kept.get(("t", "c", "id")) is not None
