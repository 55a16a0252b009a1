"""The event log: a folder with a table of events, one of messages' lives, and how far replays have come.

    log = EventLog("lake/log")
    query = log.stream(messages).option("checkpointLocation", "checkpoints/log").start()

Events are filed by day and type; an event that is there already, by its message's id, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import UnknownTable
from penstock.pipelines.event_log.events import events
from penstock.pipelines.event_log.lives import lives
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.sink import DeltaSink
from penstock.pipelines.tables.tending import KEEP_FILES, Tended, tend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

__all__ = ["EVENTS", "LIVES", "EventLog"]

EVENTS: Final = "events"
LIVES: Final = "lives"
#: By which columns each table is filed, and by which a row of it is known.
_FILED: Final = {EVENTS: (("day", "type"), "message_id"), LIVES: (("day", "step"), "id")}


@dataclass(frozen=True, slots=True)
class EventLog:
    """The log in a folder, or at any URL that deltalake knows."""

    path: str
    storage: Mapping[str, str] = field(default_factory=dict)

    def location(self, table: str) -> Location:
        """Where a table of the log lies."""
        return Location.at(f"{self.path.rstrip('/')}/{table}", self.storage)

    @property
    def folder(self) -> Path | None:
        """The folder, if it is one of this machine's."""
        return Location.at(self.path, self.storage).folder

    def stream(self, messages: DataFrame) -> DataStreamWriter:
        """A query that files messages: say its checkpoint and its trigger, and start it.

        Args:
            messages: A stream with the columns `penstock.pipelines.event_log.MESSAGE_COLUMNS`.
        """
        return self.sink(EVENTS).stream(events(messages))

    def stream_lives(self, messages: DataFrame) -> DataStreamWriter:
        """A query that files what a broker tells of messages' lives; columns are `LIFE_COLUMNS`."""
        return self.sink(LIVES).stream(lives(messages))

    def add(self, messages: DataFrame) -> None:
        """File messages that are no stream: of an archive, or in a test."""
        self.sink(EVENTS).write(events(messages))

    def add_lives(self, messages: DataFrame) -> None:
        """The same for those that are no stream."""
        self.sink(LIVES).write(lives(messages))

    def tables(self) -> list[str]:
        """Those of its tables that were ever filed: events, messages' lives, or both.

        Raises:
            UnknownTable: neither was.
        """
        found = [name for name in (EVENTS, LIVES) if self.location(name).maybe_table() is not None]
        if not found:
            raise UnknownTable(f"there is no event log at {self.path}: `penstock event-log run` fills one")
        return found

    def has(self, table: str) -> bool:
        """Whether a table was ever filed."""
        return self.location(table).maybe_table() is not None

    def counts(self, table: str = EVENTS) -> Iterator[tuple[str, str, int]]:
        """How many there are of each day and type (or step), from Delta's log alone, without Spark.

        Raises:
            UnknownTable: nothing of the kind was ever filed.
        """
        import pyarrow as pa  # noqa: PLC0415  whoever only names a log needs none

        found = self.location(table).table()
        kind = found.metadata().partition_columns[1]
        files = pa.table(found.get_add_actions(flatten=True))
        names = [f"partition.{name}" for name in ("day", kind)]
        grouped: Any = files.group_by(names).aggregate([("num_records", "sum")]).to_pylist()
        for row in sorted(grouped, key=lambda row: (row[names[0]], row[names[1]] or "")):
            yield row[names[0]].isoformat(), row[names[1]] or "", row["num_records_sum"]

    def tend(
        self, *, now: float, keep: float | None = None, keep_files: float = KEEP_FILES
    ) -> dict[str, Tended]:
        """Gather small files and forget what is too old, of each table of the log.

        Args:
            now: The time.
            keep: Seconds that events are kept, by whole days; None is for ever.
            keep_files: Seconds that files stay which were replaced.
        """
        return {
            name: tend(self.location(name), now=now, keep=keep, keep_files=keep_files)
            for name in (EVENTS, LIVES)
            if self.has(name)
        }

    def sink(self, table: str) -> DeltaSink:
        """Files rows that are events, or steps of lives, already; what is there, by its id, is left out."""
        where, (partition_by, key) = self.location(table), _FILED[table]
        return DeltaSink(where.uri, partition_by=partition_by, key=key, time="at", storage=self.storage)
