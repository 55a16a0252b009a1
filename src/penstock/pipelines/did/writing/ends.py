"""The two ends of the batch writer's pipeline: cuts come from the desk, outcomes go back to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn

from penstock.errors import BadPipeline
from penstock.pipelines.declared.making import make
from penstock.pipelines.did.spreading import in_turn
from penstock.pipelines.did.writing.stream import FORMAT, CutSource

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.declared.ports import Spared
    from penstock.pipelines.did.writing.outcome import Outcome

__all__ = ["Cuts", "Recorded"]

#: Cuts that are written in one batch of Spark's; then it notes how far it is, and others have a turn.
MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cuts of an operation queue that lives in this program."""

    queue: str
    #: Where Spark's planner asks for them.
    door: str

    @property
    def after_reset(self) -> str:
        return "it goes on with what the domain's database says: nothing is lost, and nothing comes twice"

    def check(self, pipeline: str) -> None:
        """Whoever runs the domain has seen to it."""

    def demand_free(self, pipeline: str) -> None:
        """The door is this program's own."""

    def load(self, spark: SparkSession, pipeline: str) -> DataFrame:
        spark.dataSource.register(CutSource)
        return spark.readStream.format(FORMAT).option("door", self.door).load()

    def sample(self, spark: SparkSession, rows: int) -> NoReturn:
        raise BadPipeline(
            "cuts cannot be looked at without being written: ask the operation queue's database"
        )

    def __str__(self) -> str:
        return f"operations in {self.queue}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """Batches, written by executors, recorded in the domain's database, and then anchored.

    Each is recorded when it is written, and those before it are: while executors write the next, it is
    anchored, and there is something to observe. Cuts that have come meanwhile are written along: between two
    batches of Spark's, executors do nothing for a quarter of a second, in which each could write half a cut.
    """

    #: What executors do with cuts. It knows the domain's places, which have passwords.
    write: Callable[[Iterable[int]], Iterable[Outcome]] = field(repr=False)
    settle: Callable[[list[Outcome]], None]
    #: A cut to write beside those that are given, if there is one.
    more: Callable[[Collection[int]], int | None]

    @property
    def keeps_columns(self) -> bool:
        return False

    @property
    def knows_bad_rows(self) -> bool:
        return False

    @property
    def after_reset(self) -> str:
        return "a batch that was recorded is not recorded again"

    def check(self, pipeline: str) -> None:
        """Whoever runs the domain has seen to it."""

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        return rows.writeStream.foreachBatch(self._record)

    def _record(self, batch: DataFrame, _number: int) -> None:
        numbers = sorted(row["cut"] for row in batch.collect())
        for outcome in in_turn(batch.sparkSession, self.write, self._going_on(numbers)):
            self.settle([outcome])

    def _going_on(self, numbers: Sequence[int]) -> Iterator[int]:
        """These cuts, and those that come while they are written."""
        yield from numbers
        given = set(numbers)
        while len(given) < MOST and (number := self.more(given)) is not None:
            given.add(number)
            yield number

    def try_out(self, rows: DataFrame) -> None:
        make(rows)

    def __str__(self) -> str:
        return "anchored batches"
