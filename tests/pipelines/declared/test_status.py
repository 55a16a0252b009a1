from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.progress import Metrics
from penstock.pipelines.declared.status import State, Status, read_status, write_status

if TYPE_CHECKING:
    from pathlib import Path

STATUS = Status(
    pipeline="threads", state=State.RUNNING, batch=4, metrics=Metrics(batches=5, rows=50), error="no", at=1.5
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, "threads")


def test_one_process_writes_and_another_reads(place: Place) -> None:
    with place.held():
        write_status(place, STATUS)
        assert read_status(place) == STATUS


def test_who_never_ran_has_told_nothing(place: Place) -> None:
    assert read_status(place) == Status(pipeline="threads", state=State.NEVER_RUN)


def test_who_says_that_it_runs_and_holds_nothing_has_died(place: Place) -> None:
    write_status(place, STATUS)
    assert read_status(place) == replace(STATUS, state=State.DIED)


@pytest.mark.parametrize("state", [State.DONE, State.STOPPED, State.FAILED])
def test_an_end_that_was_told_is_no_death(place: Place, state: State) -> None:
    write_status(place, replace(STATUS, state=state))
    assert read_status(place).state is state


def test_in_json_the_numbers_are_among_the_rest(place: Place) -> None:
    write_status(place, STATUS)
    told = json.loads(place.status.read_text())
    assert (told["pipeline"], told["state"], told["rows"], told["error"]) == ("threads", "running", 50, "no")


def test_what_another_version_wrote_is_read_as_far_as_it_is_known() -> None:
    told = {"pipeline": "threads", "state": "done", "rows": 3, "weather": "fine"}
    assert Status.of_fields(told) == Status(pipeline="threads", state=State.DONE, metrics=Metrics(rows=3))
