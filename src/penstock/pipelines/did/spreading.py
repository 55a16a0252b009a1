"""Spreading work over executors: each piece is taken by whoever is free; each task has one answer.

`spread` waits for all of them, and is for many tasks. `in_turn` tells each answer when it and those before it
are there, and is for a few long ones: each is a job of Spark's, which costs some ten milliseconds.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from pyspark.util import inheritable_thread_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from pyspark import Accumulator
    from pyspark.sql import SparkSession

__all__ = ["in_turn", "spread"]

T = TypeVar("T")
R = TypeVar("R")

#: Pieces for each core: nobody knows before how much is in an anchor, and the last piece should be a small
#: one. A piece more costs some ten milliseconds.
PIECES: Final = 32
#: Seconds between two looks at how far it is.
LOOK_S: Final = 0.5


def spread(
    spark: SparkSession,
    work: Callable[[Iterable[T]], Iterable[R]],
    tasks: Sequence[T],
    *,
    pieces: int = 0,
    on_progress: Callable[[int], object] | None = None,
) -> list[R]:
    """Have tasks done where there is room; the answers, in the order of the tasks.

    Args:
        spark: The session.
        work: Gives one answer for each task. It travels by its name, with what it was bound to.
        tasks: What to do.
        pieces: So many at most, each of which one core does; as seems best, if it is 0.
        on_progress: Told now and then how many are done.
    """
    if not tasks:
        return []
    context = spark.sparkContext
    most = pieces or PIECES * context.defaultParallelism
    spread_tasks = context.parallelize(tasks, min(len(tasks), most))
    if on_progress is None:
        return spread_tasks.mapPartitions(work).collect()
    done: Accumulator[int] = context.accumulator(0)
    counted = spread_tasks.mapPartitions(_counting(work, done))
    with ThreadPoolExecutor(1, thread_name_prefix="spread") as thread:
        answers = thread.submit(counted.collect)
        while wait([answers], LOOK_S).not_done:
            on_progress(done.value)
    on_progress(len(tasks))
    return answers.result()


def in_turn(
    spark: SparkSession, work: Callable[[Iterable[T]], Iterable[R]], tasks: Iterable[T]
) -> Iterator[R]:
    """Have tasks done where there is room, and tell the answers in the order of the tasks, as they come.

    No more are begun than there is room for: of jobs that several threads begin at once, Spark does any
    first, and the first answer might be the last that is there.

    Args:
        spark: The session.
        work: As that of `spread`.
        tasks: What to do; asked for the next whenever there is room, so it may grow meanwhile.
    """

    def done(task: T) -> R:
        return spark.sparkContext.parallelize([task], 1).mapPartitions(work).collect()[0]

    # As the thread that asks: of its pool, and broken off with it.
    inherited: Callable[[T], R] = inheritable_thread_target(spark)(done)
    room, left = spark.sparkContext.defaultParallelism, iter(tasks)
    told: deque[Future[R]] = deque()
    with ThreadPoolExecutor(room, thread_name_prefix="in turn") as threads:
        while True:
            busy = [each for each in told if not each.done()]
            told.extend(threads.submit(inherited, task) for task in islice(left, room - len(busy)))
            if not told:
                return
            if told[0].done():
                yield told.popleft().result()
            else:
                wait([each for each in told if not each.done()], return_when=FIRST_COMPLETED)


def _counting(
    work: Callable[[Iterable[T]], Iterable[R]], done: Accumulator[int]
) -> Callable[[Iterable[T]], Iterator[R]]:
    def counted(tasks: Iterable[T]) -> Iterator[R]:
        for answer in work(tasks):
            done.add(1)
            yield answer

    return counted
