"""Reconciling with copies: compare shared tables with their copies in other databases, and tell what differs.

Comparing is Spark's, telling is one process's. Between the two everything is written down (differences.py):
whoever is broken off while it tells carries on there, without comparing again.
"""

from __future__ import annotations

import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import functions as f

from penstock.errors import StoreError
from penstock.messaging.engine import translating
from penstock.outbox.opening import open_engine
from penstock.pipelines.databases.port import key_names
from penstock.pipelines.databases.reading import cheapest, readable, rows_of
from penstock.pipelines.declared.reasons import reason_of
from penstock.pipelines.reconcile.comparing import COPY, KIND, differences
from penstock.pipelines.reconcile.copies import Copy, asked_of, found_in
from penstock.pipelines.reconcile.differences import Difference, Differences
from penstock.pipelines.reconcile.samples import shown
from penstock.pipelines.reconcile.telling import Teller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from sqlalchemy.engine import Engine

    from penstock.outbox import Change, Reconciler, SharedTable
    from penstock.pipelines.databases.port import Asked

__all__ = ["Comparison", "CopyReconciler"]

#: In the order that a person wants to see them in.
KINDS: Final = ("created", "updated", "deleted")
#: Differences of each kind and copy that are shown.
SAMPLES: Final = 5
#: Rows that are looked up at once to be shown.
PAGE: Final = 500


class CopyReconciler:
    """Shared tables, the databases that have copies of them, and what is found between them."""

    def __init__(
        self, reconciler: Reconciler, engine: Engine, copies: Sequence[Copy], *, run: str | None = None
    ) -> None:
        """A reconciler.

        Args:
            reconciler: Which tables are shared, and how consumers are told of changes.
            engine: The shared tables' database, with the outbox.
            copies: At least one.
            run: What ids of messages are made of. The same difference has the same id in two runs of the same
                name; a run without a name is like no other.
        """
        self.tables = reconciler.tables
        self.copies = tuple(copies)
        self.run = new_run(reconciler.told.outbox.clock.now()) if run is None else run
        self.differences = Differences()
        self._told = reconciler.told
        self._engine = engine

    def prepare(self) -> None:
        """Make the tables that telling needs, where they are missing."""
        self._told.metadata.create_all(self._engine)
        self.differences.metadata.create_all(self._engine)

    def left(self, shared: SharedTable) -> int:
        """How many differences of a table an earlier run found, and did not come to tell."""
        with self._engine.connect() as connection:
            return self.differences.left(connection, shared.name)

    @contextmanager
    def compared(self, spark: Callable[[], SparkSession], shared: SharedTable) -> Iterator[Comparison]:
        """What differs now.

        Args:
            spark: Asked for a session when all databases have answered: a mistyped name is told at once.
            shared: The table.

        Raises:
            BadSetting: a copy has no such table or column, or its database cannot be read so.
            StoreError: a database cannot be reached, or cannot be asked that.
        """
        with ExitStack() as ending, _explained(shared.name):
            engines = [ending.enter_context(_opened(copy)) for copy in self.copies]
            tables = []
            for copy, engine in zip(self.copies, engines, strict=True):
                with translating(f"the copy in {copy.name}"):
                    tables.append(found_in(engine, shared, copy.name))
            urls = [self._engine.url.render_as_string(hide_password=False), *(c.url for c in self.copies)]
            asked = cheapest(asked_of(shared, tables), urls)
            session = spark()
            frames = [ending.enter_context(rows_of(session, readable(url, asked))) for url in urls]
            found = differences(frames[0], frames[1:]).persist(StorageLevel.DISK_ONLY)
            ending.callback(found.unpersist)
            yield Comparison(
                found=found,
                counts=_counted(found, self.copies),
                asked=asked,
                copies=self.copies,
                show=lambda n, some: shown(shared, self._engine, tables[n], engines[n], some),
            )

    def write_down(self, shared: SharedTable, comparison: Comparison) -> int:
        """Keep what was found until it is told; how many differences there are to tell."""
        with self._engine.begin() as connection:
            return self.differences.add(connection, shared.name, comparison.differences(self.run))

    def tell(self, shared: SharedTable, on_change: Callable[[Change], object] = lambda _: None) -> None:
        """Tell consumers what is written down."""
        Teller(self._told, self.differences).tell(self._engine, shared, on_change)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What Spark has found."""

    #: Kept on the executors' disks, so that it is worked out once, by all of them.
    found: DataFrame
    #: How many there are, by copy and kind.
    counts: dict[tuple[str, str], int]
    asked: Asked
    copies: tuple[Copy, ...]
    show: Callable[[int, Sequence[tuple[str, tuple[Any, ...]]]], Iterator[str]]

    def told(self) -> dict[str, int]:
        """How many messages that makes, by kind: what several copies lack is told once."""
        if len(self.copies) == 1:
            return {kind: count for (_, kind), count in self.counts.items()}
        rows = self.found.select(*key_names(self.asked), KIND).distinct().groupBy(KIND).count().collect()
        return {row[KIND]: row["count"] for row in rows}

    def samples(self, each: int = SAMPLES) -> Iterator[tuple[str, str]]:
        """Some of them: the copy's name, and a line that tells of a row."""
        for number, copy in enumerate(self.copies):
            chosen: list[tuple[str, tuple[Any, ...]]] = []
            for kind in (kind for kind in KINDS if (copy.name, kind) in self.counts):
                rows = self.found.where((f.col(COPY) == number) & (f.col(KIND) == kind)).limit(each).collect()
                chosen += [(kind, self._key(row)) for row in rows]
            if chosen:
                yield from ((copy.name, line) for line in self.show(number, chosen))

    def lines(self) -> Iterator[tuple[str, str]]:
        """As `samples`, of all of them, a page at a time."""
        for number, copy in enumerate(self.copies):
            rows = self.found.where(f.col(COPY) == number).toLocalIterator()
            found = ((row[KIND], self._key(row)) for row in rows)
            while page := list(islice(found, PAGE)):
                yield from ((copy.name, line) for line in self.show(number, page))

    def differences(self, run: str) -> Iterator[Difference]:
        """All of them, each once, however many copies it is in."""
        is_copied = (f.col(KIND) != "created").alias("is_copied")
        rows = self.found.select(*key_names(self.asked), is_copied)
        if len(self.copies) > 1:
            rows = rows.distinct()
        for row in rows.toLocalIterator():
            yield Difference(run, self._key(row), row["is_copied"])

    def _key(self, row: Any) -> tuple[Any, ...]:
        return tuple(row[name] for name in key_names(self.asked))


def _counted(found: DataFrame, copies: Sequence[Copy]) -> dict[tuple[str, str], int]:
    """Have all executors work it out, and keep it."""
    rows = found.groupBy(COPY, KIND).count().collect()
    return {(copies[row[COPY]].name, row[KIND]): row["count"] for row in rows}


@contextmanager
def _explained(table: str) -> Iterator[None]:
    """What a database says to an executor reaches the driver inside pages of Spark's."""
    try:
        yield
    except PySparkException as exc:
        raise StoreError(f"{table} cannot be compared: {reason_of(exc)}") from exc


@contextmanager
def _opened(copy: Copy) -> Iterator[Engine]:
    engine = open_engine(copy.url)
    try:
        yield engine
    finally:
        engine.dispose()


def new_run(now: float) -> str:
    """A name that no other run has."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H:%M:%SZ}-{uuid.uuid4().hex[:8]}"
