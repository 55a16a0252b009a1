"""What is told of pipelines."""

from __future__ import annotations

import asyncio

import pytest

from penstock.panel.metrics.pipelines import by_pipeline
from penstock.panel.own import Resources
from penstock.panel.own.port import Pipeline
from tests.panel.asgi import opened
from tests.panel.metrics.reading import read

THREADS = Pipeline(name="threads", state="running", batch=7, rate=12.5, rows=90, lag=4, failures=2)


class Source:
    """Tells of one pipeline."""

    async def listed(self) -> list[Pipeline]:
        return [THREADS]


def test_how_fast_and_how_far_behind_a_pipeline_is() -> None:
    told = read(by_pipeline([THREADS, Pipeline(name="new", state="never run")]))
    assert told["penstock_pipeline_running", "threads"] == 1
    assert told["penstock_pipeline_running", "new"] == 0
    assert told["penstock_pipeline_rows_per_second", "threads"] == 12.5
    assert told["penstock_pipeline_lag_rows", "threads"] == 4
    assert told["penstock_pipeline_batch", "threads"] == 7
    assert told["penstock_pipeline_rows_total", "threads"] == 90
    assert told["penstock_pipeline_failures_total", "threads"] == 2
    # What nobody knows is not told.
    assert ("penstock_pipeline_lag_rows", "new") not in told


@pytest.mark.parametrize("path", ["/metrics", "/metrics/per-object"])
def test_they_stand_beside_the_brokers_own(path: str) -> None:
    async def story() -> None:
        resources = Resources()
        resources.pipelines = Source()
        async with opened(resources=resources) as guest:
            told = read([(await guest.get(path)).text])
            assert told["penstock_pipeline_batch", "threads"] == 7
            assert ("rabbitmq_queues",) in told

    asyncio.run(story())
