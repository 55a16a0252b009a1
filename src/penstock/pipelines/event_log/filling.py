"""Filling the event log from queues: a pipeline for each table, run and restarted as any other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import BadSetting
from penstock.pipelines.declared import Pipeline, Pipelines
from penstock.pipelines.declared.sources import BROKER, Queue
from penstock.pipelines.event_log.events import MESSAGE_COLUMNS, events
from penstock.pipelines.event_log.lives import MESSAGE_COLUMNS as LIFE_COLUMNS
from penstock.pipelines.event_log.lives import lives
from penstock.pipelines.event_log.log import EVENTS, LIVES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.declared.ports import Spared
    from penstock.pipelines.event_log.log import EventLog

__all__ = ["Filed", "Filling"]

#: What is asked of the source for each table, and what is made of it.
_MADE: Final = {EVENTS: (MESSAGE_COLUMNS, events), LIVES: (LIFE_COLUMNS, lives)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """From which queues a log is filled.

    - events: a queue that gets every event.
    - lives: a queue that gets what the broker tells of messages' lives.
    - every: how often what has come is filed.
    - url: the broker, as the source takes it; by the name of a variable, so that no plan shows its password.
    - spool: a folder that executors see, for a broker that is not Penstock.
    - checkpoints: a folder of this machine; None is beside the log.
    """

    log: EventLog
    events: str | None = None
    lives: str | None = None
    every: str = "10s"
    url: str = BROKER
    spool: str | None = None
    checkpoints: str | None = None

    def check(self) -> None:
        """Find out whether the queues are there, before Spark is.

        Raises:
            BadPipeline: one is not, or cannot be read.
            BadSetting: nobody says where the checkpoints go.
        """
        where = self.checkpoints or self.log.folder or self.log.path
        if "://" in str(where):
            raise BadSetting(
                f"{where} is no folder of this machine: say --checkpoints", setting="checkpoints"
            )
        for each in self.pipelines():
            each.source.check(each.name)

    @property
    def data(self) -> Path:
        """Where the pipelines keep how far they have come, and how they are doing."""
        beside = Path(self.log.folder or self.log.path, "checkpoints")
        return beside if self.checkpoints is None else Path(self.checkpoints)

    def pipelines(self) -> Pipelines:
        """One for each table."""
        queues = {EVENTS: self.events, LIVES: self.lives}
        return Pipelines(self._pipeline(table, queue) for table, queue in queues.items() if queue is not None)

    def _pipeline(self, table: str, queue: str) -> Pipeline:
        name, (columns, transform) = f"event-log-{table}", _MADE[table]
        source = Queue(queue, url=self.url, reader=name, columns=columns, spool=self.spool)
        sink = Filed(self.log, table)
        return Pipeline(name=name, source=source, sink=sink, transform=transform, trigger=self.every)


@dataclass(frozen=True, slots=True)
class Filed:
    """A table of the log, as a pipeline's sink."""

    log: EventLog
    table: str

    @property
    def knows_bad_rows(self) -> bool:
        return False

    @property
    def keeps_columns(self) -> bool:
        return False  # they are ours

    @property
    def after_reset(self) -> str:
        return "what is filed already is left out"

    def check(self, pipeline: str) -> None:
        """The table is made when there is something to file."""

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        return self.log.sink(self.table).stream(rows)

    def try_out(self, rows: DataFrame) -> None:
        self.log.sink(self.table).try_out(rows)

    def __str__(self) -> str:
        return f"{self.table} of {self.log.path}"
