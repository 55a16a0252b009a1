"""The Spark source: rows a second beside Spark's files and beside the client alone, and one row's way.

    python bench/source.py [--quick] [penstock|rabbitmq|latency]

penstock: 1 KB rows from a queue of a Penstock broker to Spark's noop sink, and the same rows from Parquet
files. No two bodies are the same: Parquet would keep one, and read nothing. A whole round of each, and then
the first batch of each query, warm up and do not count. rabbitmq: the same rows out of a full queue of
RabbitMQ, beside penstock.client that drains and acknowledges as many; source_rabbitmq.py says how. latency:
one message at a time, from the publish until its row is in a table, beside a source that has nothing to do.
Real brokers, a real Spark with two cores; nothing stands in for anything.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import threading
import time
import uuid
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import uvloop
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from source_rabbitmq import PATIENT, UNHURRIED, Query, Rates, client_alone

from penstock.client import Outgoing, Queue, connect
from penstock.client.sync import connect as connect_here
from penstock.pipelines.registering import register
from penstock.pipelines.session import open_session
from penstock.wire.amqp import BasicProperties

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import penstock, rabbitmq
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

BODY: Final = b"x" * 1024
BATCH: Final = 50_000
BATCHES: Final = 5
QUICK_BATCHES: Final = 3
DRAINED: Final = 200_000
QUICK_DRAINED: Final = 60_000
ONE_BY_ONE: Final = 30
ROUNDS: Final = 3
#: Beside files a round takes a second, and one may have half the rate of the next, ours or theirs: medians of
#: three differed by a fifth from run to run.
FILES_ROUNDS: Final = 7

#: At least so many times the other's rate; at most so many times the other's time.
FILES_LIMIT: Final = 0.7
CLIENT_LIMIT: Final = 0.8
FLOOR_LIMIT: Final = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/source.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    parser.add_argument("part", nargs="?", choices=["penstock", "rabbitmq", "latency"], help="only this")
    options = parser.parse_args()
    # Whoever is frozen must be let go, also when the bench is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"{'':40}{'ours':>14}{'other':>14}{'ratio':>8}{'limit':>8}")
    parts = [options.part] if options.part else ["penstock", "rabbitmq", "latency"]
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-source-") as folder,
        open_session("bench", "local[2]", memory="2g", progress=False) as spark,
    ):
        register(spark)
        bench = Bench(spark, Path(folder), quick=options.quick)
        kept = [getattr(bench, part)() for part in parts]
    return 0 if all(kept) else 1


class Bench:
    """A session and a folder."""

    def __init__(self, spark: SparkSession, folder: Path, *, quick: bool) -> None:
        self.spark = spark
        self.folder = folder
        self.batches = QUICK_BATCHES if quick else BATCHES
        self.drained = QUICK_DRAINED if quick else DRAINED
        self.rounds = 1 if quick else ROUNDS
        self.files_rounds = 1 if quick else FILES_ROUNDS

    def own(self, name: str) -> Path:
        made = self.folder / f"{name}-{uuid.uuid4().hex[:8]}"
        made.mkdir()
        return made

    # Rows a second, beside files

    def penstock(self) -> bool:
        ours, files = [], []
        for _ in range(1 + self.files_rounds):
            running = penstock.start(self.own("penstock"))
            try:
                publish(running.url, "rows", BATCH * self.batches)
                stream = self.queue_stream(running.url, "rows", max_rows=str(BATCH))
                ours.append(self.warm_rate(stream))
            finally:
                # Before the files' turn: what it tidies afterwards is not theirs to pay for.
                running.end()
            files.append(self.warm_rate(self.file_stream()))
        rates = median(ours[1:]), median(files[1:])
        return verdict("Penstock → noop, Parquet → noop", *rates, least=FILES_LIMIT)

    def queue_stream(self, url: str, queue: str, **options: str) -> DataFrame:
        stream = self.spark.readStream.format("penstock")
        stream = stream.options(url=url, queue=queue, reader="bench", **options)
        return stream.option("columns", "position,message_id,body").load()

    def file_stream(self) -> DataFrame:
        """The same rows, in as many files for a batch as there are cores."""
        folder = self.own("files")
        half = BATCH // 2
        for number in range(2 * self.batches):
            first = number * half
            rows = pa.table(
                {
                    "position": pa.array(range(first, first + half), pa.int64()),
                    "message_id": [uuid.uuid4().hex for _ in range(half)],
                    "body": different(half),
                }
            )
            pq.write_table(rows, folder / f"{number:04}.parquet")
        stream = self.spark.readStream.schema("position LONG, message_id STRING, body BINARY")
        return stream.option("maxFilesPerTrigger", "2").parquet(str(folder))

    def warm_rate(self, frame: DataFrame) -> float:
        """Rows a second of all batches but the first, by Spark's own count."""
        query = self.started(frame.writeStream.format("noop").trigger(availableNow=True))
        query.awaitTermination()
        batches = [each for each in query.recentProgress if each["numInputRows"]]
        assert sum(each["numInputRows"] for each in batches) == BATCH * self.batches
        rows = sum(each["numInputRows"] for each in batches[1:])
        return 1000 * rows / sum(each["durationMs"]["triggerExecution"] for each in batches[1:])

    def started(self, writing: Any) -> Any:
        return writing.option("checkpointLocation", str(self.own("checkpoint"))).start()

    # Rows a second, beside the client alone

    def rabbitmq(self) -> bool:
        program = obtain(PROGRAMS["rabbitmq"], notes=self.folder)
        running = rabbitmq.start(program, self.own("rabbitmq"), settings=PATIENT)
        url = f"{running.url}?{UNHURRIED}"
        spool = self.own("spool")

        def start() -> Any:
            stream = self.queue_stream(url, "query", spool=str(spool))
            return self.started(stream.writeStream.format("noop"))

        try:
            publish(url, "query", 0)  # a query's queue is there before it
            with client_alone(url, "client") as client, closing(Query("query", spool, start)) as query:
                rates = Rates(partial(publish, url), self.drained, self.rounds)
                theirs, ours = rates.measure(client, query)
        finally:
            running.end()
        return verdict("RabbitMQ → noop, client alone", median(ours), median(theirs), least=CLIENT_LIMIT)

    # One row's way

    def latency(self) -> bool:
        running = penstock.start(self.own("penstock"))
        try:
            with connect_here(running.url) as client:
                client.declare(Queue("one"))
                ours = self.one_by_one(
                    self.queue_stream(running.url, "one"), lambda: client.publish(Outgoing("", "one", BODY))
                )
        finally:
            running.end()
        self.spark.dataSource.register(Floor)
        bell = self.own("floor") / "bell"
        bell.touch()
        frame = self.spark.readStream.format("floor").option("bell", str(bell)).load()

        def ring() -> None:
            with bell.open("ab") as file:
                file.write(b"!")

        floor = self.one_by_one(frame, ring)
        return verdict(
            "published → row, no-op source", 1000 * ours, 1000 * floor, most=FLOOR_LIMIT, unit="ms"
        )

    def one_by_one(self, frame: DataFrame, send: Callable[[], None]) -> float:
        came = threading.Event()

        def write(batch: DataFrame, _number: int) -> None:
            if batch.toArrow().num_rows:
                came.set()

        query = self.started(frame.writeStream.foreachBatch(write))
        times = []
        for _ in range(ONE_BY_ONE):
            came.clear()
            begun = time.perf_counter()
            send()
            assert came.wait(120)
            times.append(time.perf_counter() - begun)
            time.sleep(0.1)  # the batch comes to its end
        query.stop()
        return median(times[5:])


class Floor(DataSource):
    """A source that has nothing to do: one row for each byte in a file."""

    @classmethod
    def name(cls) -> str:
        return "floor"

    def schema(self) -> str:
        return "n LONG"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802 (Spark's name)
        return FloorReader(self.options["bell"])


class FloorReader(DataSourceStreamReader):
    """Nobody is asked, nothing is decoded."""

    def __init__(self, bell: str) -> None:
        self._bell = bell

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 (Spark's names)
        return {"n": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:  # noqa: N802
        return {"n": Path(self._bell).stat().st_size}

    def partitions(self, start: Any, end: Any) -> list[InputPartition]:
        return [InputPartition((start["n"], end["n"]))]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        yield pa.record_batch({"n": pa.array(range(*partition.value), pa.int64())})


# The broker's side


def different(count: int) -> list[bytes]:
    """Bodies of 1 KB, no two the same."""
    return [random.randbytes(512).hex().encode() for _ in range(count)]


def publish(url: str, queue: str, count: int) -> None:
    async def run() -> None:
        async with await connect(url) as client:
            await client.declare(Queue(queue))
            for _ in range(count // 1000):
                outgoings = [
                    Outgoing(
                        "", queue, body, BasicProperties.of(message_id=uuid.uuid4().hex, delivery_mode=2)
                    )
                    for body in different(1000)
                ]
                assert not any(await client.publish_many(outgoings, 60))

    uvloop.run(run())


def verdict(
    name: str, ours: float, other: float, *, least: float = 0.0, most: float = 0.0, unit: str = "/s"
) -> bool:
    ratio = ours / other
    kept = ratio >= least if least else ratio <= most
    limit = f"≥ {least:g}" if least else f"≤ {most:g}"
    shown = f"{ours:12,.0f}{unit}{other:12,.0f}{unit}"
    print(f"{name:40}{shown}{ratio:8.2f}{limit:>8}  {'ok' if kept else 'MISSED'}", flush=True)
    return kept


if __name__ == "__main__":
    sys.exit(main())
