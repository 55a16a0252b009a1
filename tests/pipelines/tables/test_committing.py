"""Files become a table's, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import TableError
from penstock.pipelines.tables.columns import fit
from penstock.pipelines.tables.committing import Batch, abandon, commit
from penstock.pipelines.tables.location import Location
from tests.pipelines.tables.helpers import NOW, append, files_of, parquet_files, rows_of, spark_json

SCHEMA = spark_json(n="long")


@pytest.fixture
def place(tmp_path: Path) -> Location:
    return Location(str(tmp_path / "t"))


def test_a_batch_is_added_once_however_often_it_comes(place: Location) -> None:
    assert append(place, SCHEMA, [{"n": 1}], batch=Batch("q", 0))
    assert append(place, SCHEMA, [{"n": 2}], batch=Batch("q", 1))
    version = place.table().version()
    assert not append(place, SCHEMA, [{"n": 2}], batch=Batch("q", 1))
    assert not append(place, SCHEMA, [{"n": 1}], batch=Batch("q", 0))
    assert sorted(row["n"] for row in rows_of(place)) == [1, 2]
    assert place.table().version() == version
    assert place.folder is not None
    assert len(parquet_files(place.folder)) == 2, "the double's files are gone"


def test_batches_of_another_query_are_others(place: Location) -> None:
    append(place, SCHEMA, [{"n": 1}], batch=Batch("q", 0))
    assert append(place, SCHEMA, [{"n": 1}], batch=Batch("another", 0))
    assert len(rows_of(place)) == 2


def test_a_batch_without_rows_counts_too(place: Location) -> None:
    append(place, SCHEMA, [], batch=Batch("q", 4))
    assert (place.table().transaction_version("q"), rows_of(place)) == (4, [])


def test_a_new_column_is_null_in_the_rows_before(place: Location) -> None:
    append(place, SCHEMA, [{"n": 1}])
    append(place, spark_json(colour="string", n="long"), [{"n": 2, "colour": "red"}])
    assert sorted(rows_of(place), key=lambda row: row["n"]) == [
        {"n": 1, "colour": None},
        {"n": 2, "colour": "red"},
    ]


def test_rows_can_take_the_place_of_all_others(place: Location) -> None:
    append(place, SCHEMA, [{"n": 1}])
    append(place, SCHEMA, [{"n": 2}], overwrite=True)
    assert rows_of(place) == [{"n": 2}]


def test_a_log_that_cannot_be_written_is_told(place: Location) -> None:
    append(place, SCHEMA, [{"n": 1}])
    files = files_of(place, SCHEMA, [{"n": 2}])
    assert place.folder is not None
    log = place.folder / "_delta_log"
    # Somebody who is no Delta writer has put something in the next version's place.
    (log / "00000000000000000002.json").mkdir()
    with pytest.raises(TableError):
        commit(
            place, fit(SCHEMA, SCHEMA, partitions=()), files, partition_by=(), batch=Batch("q", 0), now=NOW
        )


def test_files_that_are_abandoned_go_unless_the_log_names_them(place: Location) -> None:
    # Given files of one batch: of a partition with an odd name, and of a table that is not there yet
    schema, odd = spark_json(n="long", kind="string"), "a b/c:%=ü"
    lost, kept = (files_of(place, schema, [{"n": n, "kind": odd}], ["kind"]) for n in (1, 2))
    abandon(place, lost)
    assert len(parquet_files(Path(place.uri))) == 1
    # When some of them are named, and somebody who does not know that gives them all up
    commit(place, fit(schema, None, partitions=["kind"]), kept, partition_by=["kind"], batch=None, now=NOW)
    lost = files_of(place, schema, [{"n": 3, "kind": odd}], ["kind"])
    abandon(place, [*lost, *kept])
    # Then only the others are gone
    assert rows_of(place) == [{"n": 2, "kind": odd}]
    assert len(parquet_files(Path(place.uri))) == 1


def test_a_store_that_is_no_disk_has_nothing_to_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Location(tmp_path.as_uri())
    monkeypatch.setattr(Location, "folder", None)
    assert append(place, SCHEMA, [{"n": 1}])
    assert rows_of(place) == [{"n": 1}]
