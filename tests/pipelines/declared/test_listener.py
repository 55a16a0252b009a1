from __future__ import annotations

import json

from penstock.pipelines.declared.listener import ProgressListener
from penstock.pipelines.declared.progress import Progress


def event(name: str | None, batch: int) -> str:
    """What Spark tells."""
    durations = {"addBatch": 900} if batch else {}
    told: dict[str, object] = {
        "name": name,
        "batchId": batch,
        "batchDuration": 1000,
        "durationMs": durations,
        "numInputRows": 3,
        "sources": [],
    }
    return json.dumps(told)


def test_each_pipeline_hears_of_its_own_batches() -> None:
    heard: list[tuple[str, Progress]] = []
    listener = ProgressListener()
    for name in ("a", "b"):
        listener.tell(name, lambda progress, name=name: heard.append((name, progress)))  # type: ignore[misc]
    for each in (event("a", 1), event("b", 2), event("c", 3), event(None, 4), event("a", 0)):
        listener.hear(each)
    assert heard == [
        ("a", Progress(batch=1, rows=3, seconds=1.0)),
        ("b", Progress(batch=2, rows=3, seconds=1.0)),
    ]
    assert repr(listener) == "<ProgressListener of 2 pipelines>"
