"""Spark's own news of its queries, passed on to whom they concern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.streaming.listener import StreamingQueryListener

from penstock.pipelines.declared.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql.streaming.listener import (
        QueryIdleEvent,
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
    )

__all__ = ["ProgressListener"]


class ProgressListener(StreamingQueryListener):
    """Tells each pipeline when one of its batches is done. Spark calls it on a thread of its own."""

    def __init__(self) -> None:
        self._told: dict[str, Callable[[Progress], None]] = {}

    def tell(self, pipeline: str, told: Callable[[Progress], None]) -> None:
        """From now on, tell of this pipeline's batches."""
        self._told[pipeline] = told

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 (Spark's name)
        """It is known to whoever started it."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 (Spark's name)
        """A batch is done."""
        told = self._told.get(event.progress.name or "")
        progress = Progress.read(event.progress.json)
        if told is not None and progress is not None:
            told(progress)

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802 (Spark's name)
        """Nothing has come; the last batch has told everything."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 (Spark's name)
        """Whoever runs it waits for its end."""
