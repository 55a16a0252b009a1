from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.pipelines.did.observing.spreading import spread

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
