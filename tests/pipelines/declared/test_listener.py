from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from penstock.pipelines.declared.listener import ProgressListener
from penstock.pipelines.declared.progress import Progress


def event(name: str | None, batch: int) -> Any:
    """What Spark calls with."""
    durations = {"addBatch": 900} if batch else {}
    told = {
        "batchId": batch,
        "batchDuration": 1000,
        "durationMs": durations,
        "numInputRows": 3,
        "sources": [],
    }
    return SimpleNamespace(progress=SimpleNamespace(name=name, json=json.dumps(told)))


def test_each_pipeline_hears_of_its_own_batches() -> None:
    heard: list[tuple[str, Progress]] = []
    listener = ProgressListener()
    for name in ("a", "b"):
        listener.tell(name, lambda progress, name=name: heard.append((name, progress)))  # type: ignore[misc]
    for each in (event("a", 1), event("b", 2), event("c", 3), event(None, 4), event("a", 0)):
        listener.onQueryProgress(each)
    assert heard == [
        ("a", Progress(batch=1, rows=3, seconds=1.0)),
        ("b", Progress(batch=2, rows=3, seconds=1.0)),
    ]


def test_other_news_are_nobodys_business() -> None:
    listener = ProgressListener()
    for tell in (listener.onQueryStarted, listener.onQueryIdle, listener.onQueryTerminated):
        tell(event("a", 1))
