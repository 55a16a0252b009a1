"""Pipelines for the panel, as they wrote it down themselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.bootstrap.panel_pipelines import PipelinesFolder
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.progress import Metrics
from penstock.pipelines.declared.status import State, Status, write_status

if TYPE_CHECKING:
    from pathlib import Path


def test_every_pipeline_that_has_run_is_listed_as_it_told(tmp_path: Path) -> None:
    metrics = Metrics(rows=100, rows_per_second=12.5, lag=7, failures=2)
    told = Status(
        pipeline="threads", state=State.RUNNING, batch=3, metrics=metrics, error="oh", ui="http://ui", at=9.0
    )
    place = Place(tmp_path, "threads")
    write_status(place, told)
    write_status(Place(tmp_path, "counts"), Status(pipeline="counts", state=State.DONE))
    with place.held():
        found = asyncio.run(PipelinesFolder(tmp_path).listed())
    assert [each.name for each in found] == ["counts", "threads"]
    shown = found[1]
    assert (shown.state, shown.batch, shown.rate, shown.rows, shown.lag) == ("running", 3, 12.5, 100, 7)
    assert (shown.failures, shown.last_error, shown.ui, shown.updated_at) == (2, "oh", "http://ui", 9.0)


def test_one_whose_process_died_is_told_to_have(tmp_path: Path) -> None:
    write_status(Place(tmp_path, "threads"), Status(pipeline="threads", state=State.RUNNING))
    (found,) = asyncio.run(PipelinesFolder(tmp_path).listed())
    assert found.state == "died"


def test_a_folder_that_is_not_there_yet_has_none(tmp_path: Path) -> None:
    assert asyncio.run(PipelinesFolder(tmp_path / "later").listed()) == []
