from __future__ import annotations

from typing import Any

import pytest

from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source import table as tables
from penstock.pipelines.source.partition import Range
from penstock.pipelines.source.table import QueueTable, drain
from tests.pipelines.source.takings import MemoryTaking

OPTIONS = {"url": "amqp://host", "queue": "q", "reader": "r"}


@pytest.fixture
def taking(monkeypatch: pytest.MonkeyPatch) -> MemoryTaking:
    """A queue of 25 messages, which tables will find instead of a broker's."""
    made = MemoryTaking(25)
    monkeypatch.setattr(tables, "open_origin", lambda _: made)
    return made


def table(**options: str) -> QueueTable:
    return QueueTable(SourceOptions.read({**OPTIONS, **options}))


def test_a_reading_takes_what_waits_and_commits_nothing(taking: MemoryTaking) -> None:
    assert table(partitions="1").partitions() == [Range(0, 25)]
    assert (taking.commits, taking.is_closed) == ([], True)


def test_what_was_taken_is_read_again(taking: MemoryTaking) -> None:
    first, second = (table(partitions="1", max_rows="10").partitions() for _ in range(2))
    assert first == second == [Range(0, 10)]
    assert taking.waiting == 15


def test_a_limit_of_bytes_is_kept(taking: MemoryTaking) -> None:
    assert table(partitions="1", max_bytes="70").partitions() == [Range(0, 7)]


def test_an_empty_queue_is_an_empty_table(taking: MemoryTaking) -> None:
    taking.waiting = 0
    (nothing,) = table().partitions()
    assert list(table().read(nothing)) == []


def test_a_range_that_is_named_is_read_and_nothing_else_is_asked(taking: MemoryTaking) -> None:
    assert table(partitions="1", start="3", end="8").partitions() == [Range(3, 8)]
    assert taking.taken == 0


class Spark:
    """As much of a session as `drain` needs: what it was asked for."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.read = self

    def format(self, name: str) -> Spark:
        assert name == "penstock"
        return self

    def options(self, **options: Any) -> Spark:
        self.asked = options
        return self

    def load(self) -> str:
        return "rows"


def test_a_drained_range_is_committed_when_the_block_ends_well(taking: MemoryTaking) -> None:
    spark: Any = Spark()
    with drain(spark, **OPTIONS, max_rows=10) as rows:
        assert str(rows) == "rows"
        assert taking.commits == []
    assert (spark.asked["start"], spark.asked["end"]) == (0, 10)
    assert (taking.commits, taking.is_closed) == ([10], True)


def test_a_drained_range_stays_when_the_block_fails(taking: MemoryTaking) -> None:
    spark: Any = Spark()
    with pytest.raises(InterruptedError), drain(spark, **OPTIONS):
        raise InterruptedError
    assert (taking.commits, taking.is_closed) == ([], True)
