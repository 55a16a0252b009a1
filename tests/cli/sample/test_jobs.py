from __future__ import annotations

import asyncio
from typing import Any

import pytest

from penstock.cli.sample import jobs as module
from penstock.cli.sample.events import JOBS, Valve
from penstock.cli.sample.jobs import WORN_OUT, inspect, repair, routes
from penstock.cli.sample.jobs import test as pump_test
from penstock.errors import TransientError
from penstock.workers import Job
from penstock.workers.job import Known


def job(valve: str, attempts: int = 0) -> Job[Valve]:
    return Job("/", Valve(valve=valve), known=Known(id="j", queue=JOBS, attempts=attempts))


def test_an_inspection_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEP_S", 0.0)
    told: list[Any] = []
    monkeypatch.setattr(Job, "report", lambda _job, progress: told.append(progress))
    done = asyncio.run(inspect(job("valve 1")))
    assert done == {"valve": "valve 1", "is_fine": True}
    assert told[0] == {"step": 1, "of": 8}
    assert len(told) == 8


def test_a_pump_passes_at_the_second_try_unless_it_is_worn_out() -> None:
    with pytest.raises(TransientError, match="too little pressure"):
        asyncio.run(pump_test(job("valve 1")))
    assert asyncio.run(pump_test(job("valve 1", attempts=1))).endswith("has passed")
    with pytest.raises(TransientError):
        asyncio.run(pump_test(job(WORN_OUT, attempts=2)))


def test_a_repair_says_what_it_did() -> None:
    assert asyncio.run(repair(job("valve 3"))) == "valve 3 is mended"


def test_one_job_comes_by_itself() -> None:
    assert list(routes.recurring) == ["waterworks report"]
