"""A replay as a whole: which events of which log, how far it has come, and going on with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.pipelines.event_log.views import read_events
from penstock.pipelines.replay.ordering import counted, marked, pages, rest_of
from penstock.pipelines.replay.progress import ProgressFile
from penstock.pipelines.replay.publishing import publish
from penstock.pipelines.replay.selection import chosen

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from penstock.client import Client
    from penstock.pipelines.event_log import EventLog
    from penstock.pipelines.replay.progress import Progress
    from penstock.pipelines.replay.selection import Selection

__all__ = ["Replay"]

#: Where a log that is no folder has its replays' progress: under the folder that one works in.
ELSEWHERE: Final = "penstock-replays"


class Replay:
    """Events of a log on their way back into queues."""

    def __init__(self, spark: SparkSession, log: EventLog, selection: Selection) -> None:
        """Nothing is published yet.

        Raises:
            UnknownTable: nothing was ever filed in the log.
            BadExpression: the selection cannot be.
        """
        self._events = chosen(read_events(spark, log), selection)
        self._selection = selection
        folder = log.folder / "replays" if log.folder is not None else Path.cwd() / ELSEWHERE
        self._file = ProgressFile(folder, selection)

    def __repr__(self) -> str:
        return f"<Replay of {self._selection}, {self.progress.published} published>"

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        return self._file.read()

    def counts(self) -> list[tuple[str, str, int]]:
        """How many events there are of each day and type, done or not."""
        return counted(self._events)

    def left(self) -> int:
        """How many events are not done yet."""
        return sum(count for _, _, count in self.counts()) - self.progress.done

    def forget(self) -> None:
        """Begin anew, with what was published before, too."""
        self._file.forget()

    async def run(
        self,
        client: Client,
        *,
        rate: float | None = None,
        skip_unroutable: bool = False,
        on_progress: Callable[[Progress], object] = lambda _: None,
    ) -> Progress:
        """Publish what is left, and return how far it has come; arguments and errors as of `publish`."""
        before = self.progress
        return await publish(
            pages(rest_of(marked(self._events), before), before),
            client,
            file=self._file,
            queue=self._selection.queue,
            rate=rate,
            skip_unroutable=skip_unroutable,
            on_progress=on_progress,
        )
