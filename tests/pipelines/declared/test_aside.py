"""What a sink has refused; looking for poison itself is in test_poison.py and test_running.py."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.pipelines.declared import Parquet, Pipeline, Rate
from penstock.pipelines.declared.aside import Aside
from penstock.pipelines.declared.place import Place
from penstock.pipelines.sink.outgoing import Fault
from penstock.pipelines.sink.refused import write_refused

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


class Kept:
    """A keeper that remembers."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Any]] = {}

    def check(self, pipeline: str) -> None:
        """Nothing can be wrong."""

    def keep(self, rows: DataFrame, mark: str) -> None:
        self.rows[mark] = [(row.batch, row.reason, row.row) for row in rows.collect()]


def test_what_a_sink_has_refused_is_kept_once_and_found_after_a_crash(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Given a sink that has refused a row, and a process that died before anybody looked
    keeper, place = Kept(), Place(tmp_path, "threads")
    pipeline = Pipeline(
        name="threads", source=Rate(), sink=Parquet("t"), transform=lambda rows: rows, set_aside_to=keeper
    )
    row = '{"body":null}'
    for _ in range(2):
        write_refused(str(place.refused), "q", 41, [Fault(3, "body is null", row)])
        aside = Aside(pipeline, place, spark, VirtualClock())
        # When somebody looks, even if the batch was run once more
        found = aside.gather()
        assert {batch: [each.row for each in rows] for batch, rows in found.items()} == {41: [row]}
        assert aside.gather() == {}
    # Then the row is in the folder and with the keeper, once
    [file] = place.set_aside.iterdir()
    kept = json.loads(file.read_text())
    assert (kept["batch"], kept["reason"], kept["row"]) == (41, "body is null", {"body": None})
    assert list(keeper.rows.values()) == [[(41, "body is null", row)]]


def test_a_pipeline_says_how_many_rows_its_sink_may_spare(
    tmp_path: Path,
) -> None:
    pipeline = Pipeline(
        name="a", source=Rate(), sink=Parquet("t"), transform=lambda rows: rows, set_aside_at_most=7
    )
    place = Place(tmp_path, "a")
    spared = Aside(pipeline, place, None, VirtualClock()).spared  # type: ignore[arg-type]
    assert (spared.folder, spared.at_most) == (tmp_path / "a" / "refused", 7)
