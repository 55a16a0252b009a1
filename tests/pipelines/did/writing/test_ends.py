from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadPipeline
from penstock.pipelines.did.writing.deadly import write_cuts
from penstock.pipelines.did.writing.ends import MOST, Cuts, Recorded
from penstock.pipelines.did.writing.outcome import Outcome
from penstock.pipelines.did.writing.stream import CutSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pyspark.sql import SparkSession

PLACES = '{"database": "postgresql://me:secret@127.0.0.1/x"}'


class Spark:
    """Writes down what it is asked for."""

    def __init__(self) -> None:
        self.dataSource = self.readStream = self
        self.asked: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        def ask(*values: Any) -> Spark:
            self.asked.append((name, *values))
            return self

        return ask


def no_more(_given: Collection[int]) -> None:
    """Nothing comes meanwhile."""


def counted(word: str, numbers: Iterable[int]) -> Iterator[Outcome]:
    return (Outcome(cut=number, core_index=word) for number in numbers)


def test_cuts_are_asked_for_at_the_door() -> None:
    cuts, spark = Cuts("orb.operation", "/tmp/door"), Spark()  # noqa: S108  nobody opens it
    asked: Any = spark
    cuts.check("writer")
    cuts.load(asked, "writer")
    assert spark.asked == [
        ("register", CutSource),
        ("format", "penstock-cuts"),
        ("option", "door", cuts.door),
        ("load",),
    ]
    assert str(cuts) == "operations in orb.operation"
    assert "nothing is lost" in cuts.after_reset
    with pytest.raises(BadPipeline, match="cannot be looked at"):
        cuts.sample(asked, 1)


def test_what_executors_have_written_goes_to_the_desk_the_oldest_first(spark: SparkSession) -> None:
    settled: list[list[Outcome]] = []
    sink = Recorded(partial(counted, "hl:uEi"), settled.append, no_more)
    batch = spark.createDataFrame([(3,), (1,), (2,)], "cut LONG")
    sink._record(batch, 0)
    assert settled == [[Outcome(cut=number, core_index="hl:uEi")] for number in (1, 2, 3)]


def test_cuts_that_come_meanwhile_are_written_along_but_not_without_end(spark: SparkSession) -> None:
    settled: list[int] = []

    def more(given: Collection[int]) -> int | None:
        return max(given) + 1 if len(given) < 5 else None

    batch = spark.createDataFrame([(1,), (2,)], "cut LONG")
    sink = Recorded(partial(counted, "hl:uEi"), lambda each: settled.extend(one.cut for one in each), more)
    sink._record(batch, 0)
    assert settled == [1, 2, 3, 4, 5]
    endless = Recorded(partial(counted, ""), lambda _: None, lambda given: max(given) + 1)
    assert len(list(endless._going_on([1, 2]))) == MOST


def test_a_desk_that_cannot_settle_fails_the_batch_when_nothing_is_written_any_more(
    spark: SparkSession,
) -> None:
    def settle(_outcomes: list[Outcome]) -> None:
        raise OSError("no room")

    batch = spark.createDataFrame([(1,), (2,)], "cut LONG")
    with pytest.raises(OSError, match="no room"):
        Recorded(partial(counted, "hl:uEi"), settle, no_more)._record(batch, 0)
    assert not [each for each in threading.enumerate() if each.name.startswith("in turn")]


def test_a_sink_says_what_it_is_and_shows_no_password() -> None:
    sink = Recorded(partial(write_cuts, PLACES), lambda _: None, no_more)
    sink.check("writer")
    assert (sink.keeps_columns, str(sink)) == (False, "anchored batches")
    assert "not recorded again" in sink.after_reset
    assert "secret" not in repr(sink)
