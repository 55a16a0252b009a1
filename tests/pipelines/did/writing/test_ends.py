from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPipeline
from penstock.pipelines.did.writing.ends import Cuts, Recorded
from penstock.pipelines.did.writing.outcome import Outcome, table_of
from penstock.pipelines.did.writing.stream import CutSource


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


class Rows:
    def __init__(self, *outcomes: Outcome) -> None:
        self.writeStream = self
        self.rows = table_of(outcomes).to_pylist()

    def foreachBatch(self, work: Any) -> Any:  # noqa: N802 (Spark's name)
        return work

    def collect(self) -> list[Any]:
        return [Row(row) for row in self.rows]


class Row(dict[str, Any]):
    def asDict(self) -> Row:  # noqa: N802 (Spark's name)
        return self


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


def test_outcomes_go_back_to_the_desk_the_oldest_first() -> None:
    settled: list[Outcome] = []
    sink = Recorded(settled.extend)
    first, second = Outcome(cut=1, count=3), Outcome(cut=2, failure="away")
    rows: Any = Rows(second, first)
    work: Any = sink.attach(rows, "writer")
    work(rows, 0)
    assert settled == [first, second]
    sink.check("writer")
    assert (sink.keeps_columns, str(sink)) == (False, "anchored batches")
    assert "not recorded again" in sink.after_reset
