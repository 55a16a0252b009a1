"""A sink says what it is and what does not fit; what it writes is in test_delta.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from penstock.errors import BadSetting, ColumnsChanged, TableError
from penstock.pipelines.tables import DeltaSink
from tests.pipelines.tables.helpers import append, spark_json

if TYPE_CHECKING:
    from pathlib import Path

ROWS = StructType([StructField("n", LongType())])


def test_what_does_not_fit_is_told_before_anything_is_started(tmp_path: Path) -> None:
    sink = DeltaSink(str(tmp_path))
    sink.check(ROWS)
    append(sink.location, spark_json(n="long"), [{"n": 1}])
    sink.check(ROWS)
    with pytest.raises(ColumnsChanged, match="column n is string, and long in the table"):
        sink.check(StructType([StructField("n", StringType())]))
    with pytest.raises(TableError, match="is partitioned by nothing, not by n"):
        DeltaSink(str(tmp_path), partition_by=("n",)).check(ROWS)
    with pytest.raises(BadSetting, match="where is the table"):
        DeltaSink("").check(ROWS)


def test_a_place_is_meant_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert DeltaSink("t").location.folder == tmp_path / "t"
