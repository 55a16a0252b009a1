from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark import TaskContext

from penstock.pipelines.did.spreading import in_turn, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession


def multiplied(factor: int, numbers: Iterable[int]) -> Iterator[int]:
    return (factor * number for number in numbers)


def test_each_task_has_its_answer_in_order_and_progress_is_told(spark: SparkSession) -> None:
    told: list[int] = []
    assert spread(spark, partial(multiplied, 3), range(200)) == list(range(0, 600, 3))
    assert spread(spark, partial(multiplied, 3), [1, 2], on_progress=told.append) == [3, 6]
    assert told[-1] == 2
    assert spread(spark, partial(multiplied, 3), [], on_progress=told.append) == []


def placed(numbers: Iterable[int]) -> Iterator[int]:
    context = TaskContext.get()
    assert context is not None
    return (context.partitionId() for _ in numbers)


def test_what_is_one_piece_is_done_by_one_core(spark: SparkSession) -> None:
    assert spread(spark, placed, range(10), pieces=1) == [0] * 10
    assert len(set(spread(spark, placed, range(10)))) > 1


def waiting_for(folder: str, numbers: Iterable[int]) -> Iterator[tuple[int, str | None]]:
    """Each number but 0 waits for a file of its name."""
    for number in numbers:
        until = time.monotonic() + 60
        while number and not Path(folder, str(number)).exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        context = TaskContext.get()
        assert context is not None
        yield number, context.getLocalProperty("spark.scheduler.pool")


def dividing(numbers: Iterable[int]) -> Iterator[float]:
    return (1 / number for number in numbers)


def test_answers_are_told_in_turn_while_others_are_still_at_work(spark: SparkSession, tmp_path: Path) -> None:
    spark.sparkContext.setLocalProperty("spark.scheduler.pool", "mine")
    try:
        answers = in_turn(spark, partial(waiting_for, str(tmp_path)), [0, 1])
        assert next(answers) == (0, "mine"), "though the second waits"
        (tmp_path / "1").touch()
        assert list(answers) == [(1, "mine")]
        assert list(in_turn(spark, dividing, [])) == []
    finally:
        spark.sparkContext.setLocalProperty("spark.scheduler.pool", "default")


def noting(folder: str, numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Each number, and how many were done when it began."""
    for number in numbers:
        done = len(list(Path(folder).iterdir()))
        time.sleep(0.02)
        Path(folder, str(number)).touch()
        yield number, done


def test_none_is_begun_before_there_is_room_for_it_and_those_before_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    room, tasks = spark.sparkContext.defaultParallelism, list(range(12))
    answers = list(in_turn(spark, partial(noting, str(tmp_path)), tasks))
    assert [number for number, _ in answers] == tasks
    early = [(number, done) for number, done in answers if done + room <= number]
    assert not early, "number and how many were done"


def test_tasks_may_come_while_others_are_at_work(spark: SparkSession, tmp_path: Path) -> None:
    room, asked = spark.sparkContext.defaultParallelism, list[int]()

    def coming() -> Iterator[int]:
        for number in range(room + 2):
            asked.append(number)
            yield number

    answers = in_turn(spark, partial(waiting_for, str(tmp_path)), coming())
    assert next(answers)[0] == 0
    assert len(asked) <= room + 1, "none is asked for before there is room for it"
    for number in range(room + 2):
        (tmp_path / str(number)).touch()
    assert [number for number, _ in answers] == list(range(1, room + 2))


def test_one_that_fails_is_told_after_those_before_it(spark: SparkSession) -> None:
    answers = in_turn(spark, dividing, [2, 0, 4])
    assert next(answers) == 0.5
    with pytest.raises(Exception, match="ZeroDivisionError"):
        next(answers)
