"""The Spark sink: messages a second with confirms, beside penstock.client in as many processes.

    python bench/sink.py [--quick]

Both publish persistent messages of 1 KB, each with an id of its own, to a durable queue of a Penstock broker,
and wait for all confirms. The sink has two tasks, the client two processes, which make their messages as they
go. Spark's first write warms up; starting a task and a process is in the time of neither.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

import uvloop

from penstock.client import Outgoing, Queue, connect
from penstock.client.sync import connect as connect_here
from penstock.pipelines.registering import register
from penstock.pipelines.session import open_session
from penstock.wire.amqp import BasicProperties

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import penstock

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from pyspark.sql import SparkSession

BODY: Final = b"x" * 1024
QUEUE: Final = "bench"
TASKS: Final = 2
ROWS: Final = 100_000
QUICK_ROWS: Final = 40_000
ROUNDS: Final = 3
#: At least so many times the client's rate.
LIMIT: Final = 0.6


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/sink.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    options = parser.parse_args()
    rows, rounds = (QUICK_ROWS, 1) if options.quick else (ROWS, ROUNDS)
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-sink-") as folder,
        open_session("bench", "local[2]", progress=False) as spark,
    ):
        register(spark)
        running = penstock.start(Path(folder))
        try:
            write(spark, running.url, 1000)
            ours, client = [], []
            for _ in range(rounds):
                ours.append(rows / write(spark, running.url, rows))
                client.append(rows / publish(running.url, rows))
        finally:
            running.end()
    ratio = median(ours) / median(client)
    print(
        f"sink {median(ours):,.0f}/s, client {median(client):,.0f}/s, ratio {ratio:.2f} ≥ {LIMIT}", end="  "
    )
    print("ok" if ratio >= LIMIT else "MISSED")
    return 0 if ratio >= LIMIT else 1


def write(spark: SparkSession, url: str, rows: int) -> float:
    """Seconds for a table, without the job that does nothing."""
    fresh(url)
    table = spark.range(rows, numPartitions=TASKS).selectExpr(f"repeat('x', {len(BODY)}) AS body")
    begun = time.perf_counter()
    table.write.format("noop").mode("overwrite").save()
    idle = time.perf_counter() - begun
    begun = time.perf_counter()
    table.write.format("penstock").mode("append").options(url=url, routing_key=QUEUE).save()
    seconds = time.perf_counter() - begun - idle
    check(url, rows)
    return seconds


def publish(url: str, rows: int) -> float:
    """Seconds for as many messages from as many processes."""
    fresh(url)
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(TASKS + 1)
    children = [
        context.Process(target=publish_here, args=(url, rows // TASKS, barrier)) for _ in range(TASKS)
    ]
    for child in children:
        child.start()
    barrier.wait()
    begun = time.perf_counter()
    for child in children:
        child.join()
    seconds = time.perf_counter() - begun
    check(url, rows)
    return seconds


def publish_here(url: str, rows: int, barrier: Barrier) -> None:
    async def run() -> None:
        async with await connect(url) as client:
            barrier.wait()
            for _ in range(rows // 1000):
                outgoings = [
                    Outgoing(
                        "", QUEUE, BODY, BasicProperties.of(message_id=uuid.uuid4().hex, delivery_mode=2)
                    )
                    for _ in range(1000)
                ]
                assert not any(await client.publish_many(outgoings, 60))

    uvloop.run(run())


def fresh(url: str) -> None:
    with connect_here(url) as client:
        client.withdraw(Queue(QUEUE))
        client.declare(Queue(QUEUE))


def check(url: str, rows: int) -> None:
    with connect_here(url) as client:
        state = client.queue_state(QUEUE)
        assert state is not None
        assert state.messages == rows


if __name__ == "__main__":
    sys.exit(main())
