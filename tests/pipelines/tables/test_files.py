"""Rows to files, as an executor writes them."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from penstock.errors import TableError
from penstock.pipelines.tables import files as files_module
from penstock.pipelines.tables.files import PartitionedFiles
from penstock.pipelines.tables.location import Location
from tests.pipelines.tables.helpers import parquet_files

if TYPE_CHECKING:
    from pathlib import Path

TYPES = pa.schema([("n", pa.int64()), ("kind", pa.string()), ("at", pa.timestamp("us", "UTC"))])


def rows(*numbers: int, kind: str = "a") -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(numbers, pa.int32()), "kind": [kind] * len(numbers)})


def test_each_partition_has_a_file_in_the_tables_types(tmp_path: Path) -> None:
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, ["kind"])
    writer.add(rows(1, 2))
    writer.add(rows(3, kind="b"))
    writer.add(rows(4))
    first, second = sorted(writer.close(), key=lambda file: file.partition)
    assert (first.partition, first.rows, second.rows) == ((("kind", "a"),), 3, 1)
    assert first.size == (tmp_path / first.name).stat().st_size
    assert json.loads(first.statistics)["maxValues"] == {"n": 4}
    found = pq.ParquetFile(tmp_path / first.name).read()
    assert found.column("n").type == pa.int64()
    assert found.to_pydict() == {"n": [1, 2, 4]}


def test_a_sessions_time_zone_is_not_kept(tmp_path: Path) -> None:
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, [])
    writer.add(pa.record_batch({"at": pa.array([0], pa.timestamp("us", "Europe/Berlin"))}))
    [file] = writer.close()
    assert pq.ParquetFile(tmp_path / file.name).schema_arrow.field("at").type == pa.timestamp("us", "UTC")


def test_no_rows_no_files(tmp_path: Path) -> None:
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, ["kind"])
    writer.add(rows())
    assert writer.close() == []
    assert parquet_files(tmp_path) == []


def test_a_large_file_is_followed_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "GROUP_SIZE", 1)
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, [], file_size=1)
    for number in range(3):
        writer.add(rows(number))
    assert [file.rows for file in writer.close()] == [1, 1, 1]


def test_there_are_never_too_many_open_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MOST_OPEN", 2)
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, ["kind"])
    for kind in "abcabc":
        writer.add(rows(1, kind=kind))
        assert len(writer._open) <= 2
    assert sum(file.rows for file in writer.close()) == 6


def test_what_is_discarded_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MOST_OPEN", 1)
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, ["kind"])
    writer.add(rows(1))
    writer.add(rows(2, kind="b"))
    assert len(parquet_files(tmp_path)) == 2
    writer.discard()
    assert parquet_files(tmp_path) == []


class FullDisk(io.BytesIO):
    def write(self, *_: Any) -> int:
        raise OSError(28, "No space left on device")


def test_a_failing_disk_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, [])
    writer.add(rows(1))
    [growing] = writer._open.values()
    growing._file._file.close()
    growing._file._file = FullDisk()
    with pytest.raises(OSError, match="No space left"):
        writer.close()
    writer.discard()
    assert parquet_files(tmp_path) == []


def test_rows_can_be_tried_out_and_nothing_is_written(tmp_path: Path) -> None:
    writer = PartitionedFiles(Location(str(tmp_path)), TYPES, ["kind"])
    writer.try_out(rows(1))
    with pytest.raises(TableError, match="no folder can be named after column kind"):
        writer.try_out(rows(1, kind="x" * 255))
    assert (writer.close(), list(tmp_path.iterdir())) == ([], [])
