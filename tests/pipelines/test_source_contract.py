"""What the source promises, on every broker: each message is a row, exactly once, whatever happens."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

from penstock.client.sync import connect
from penstock.pipelines.registering import register
from penstock.pipelines.source.partition import split
from penstock.pipelines.source.table import drain
from tests.pipelines.queues import SparkQueue, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from tests.servers.running import Running

ORDER = "tests.pipelines.source.typed.Order"


@pytest.fixture
def queue(broker: Running, name: str, tmp_path: Path, spark: SparkSession) -> Iterator[SparkQueue]:
    register(spark)
    with connect(broker.url) as client:
        made = SparkQueue(broker, client, name, tmp_path)
        made.declare()
        yield made
        made.withdraw()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., StreamingQuery]]:
    """Starts queries, and stops those that still run."""
    started: list[StreamingQuery] = []

    def start(frame: DataFrame, into: Callable[[DataFrame, int], None], **trigger: Any) -> StreamingQuery:
        writing = frame.writeStream.foreachBatch(into).option(
            "checkpointLocation", str(tmp_path / "checkpoint")
        )
        query = writing.trigger(**trigger).start()
        started.append(query)
        return query

    yield start
    for query in started:
        query.stop()


class Table:
    """A table that holds each batch once, and rows by what they are keyed by."""

    def __init__(self, key: str = "") -> None:
        self._key = key
        self._kept: dict[Any, list[dict[str, Any]]] = {}
        #: In how many pieces each batch was read.
        self.pieces: dict[int, int] = {}
        self.fails = False

    def write(self, batch: DataFrame, number: int) -> None:
        self.pieces[number] = batch.rdd.getNumPartitions() if not self._key else 0
        rows = batch.toArrow().to_pylist()
        if self._key:
            self._kept |= {row[self._key]: [row] for row in rows}
        else:
            self._kept[number] = rows
        if self.fails:
            raise ValueError("the power is out")

    @property
    def batches(self) -> list[int]:
        return [len(rows) for rows in self._kept.values()]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for rows in self._kept.values() for row in rows]


def body(number: int) -> bytes:
    return b"no order" if number % 10 == 0 else b'{"number": %d, "customer": "c"}' % number


def test_each_message_is_a_row_once_within_limits_over_restarts(
    spark: SparkSession, queue: SparkQueue, run: Callable[..., StreamingQuery]
) -> None:
    queue.publish(range(9000), body)
    table = Table()
    frame = queue.stream(
        spark, max_rows=4500, schema_type=ORDER, columns="position,message_id,header_tenant", partitions=2
    )

    run(frame, table.write, availableNow=True).awaitTermination()
    assert max(table.batches) <= 4500
    # What is worth it is read in several pieces.
    assert list(table.pieces.values()) == [len(split(0, rows, 2)) for rows in table.batches]
    assert queue.committed() == 9000

    queue.publish(range(9000, 9030), body)
    run(frame, table.write, availableNow=True).awaitTermination()

    rows = table.rows
    assert Counter(row["message_id"] for row in rows) == Counter(f"m{number}" for number in range(9030))
    assert sorted(row["position"] for row in rows) == list(range(1, 9031))
    assert queue.committed() == 9030
    assert queue.waiting() == 0
    # Headers are columns, and a body that is no order stands aside with its reason.
    by_id = {row["message_id"]: row for row in rows}
    assert by_id["m7"]["header_tenant"] == "t1"
    assert (by_id["m7"]["number"], by_id["m7"]["bad"]) == (7, None)
    assert by_id["m10"]["number"] is None
    assert "malformed" in by_id["m10"]["bad"]
    assert by_id["m10"]["bad_body"] == b"no order"


def test_the_last_batch_of_an_idle_query_is_committed_and_a_second_query_is_refused(
    spark: SparkSession, queue: SparkQueue, run: Callable[..., StreamingQuery], tmp_path: Path
) -> None:
    queue.publish(range(100))
    table = Table()

    run(queue.stream(spark), table.write, processingTime="1 hour")

    # Spark itself would say so in an hour.
    until(lambda: queue.committed() == 100)
    second = (
        queue.stream(spark)
        .writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path / "another"))
        .start()
    )
    with pytest.raises(StreamingQueryException, match=r"ReaderInUse: .* in use by .* process") as caught:
        second.awaitTermination()
    assert "Traceback" not in str(caught.value)


def test_a_checkpoint_that_is_deleted_costs_a_replay_and_no_doubles(
    spark: SparkSession, queue: SparkQueue, run: Callable[..., StreamingQuery], tmp_path: Path
) -> None:
    queue.publish(range(50))
    table = Table(key="position")
    table.fails = True
    with pytest.raises(StreamingQueryException):
        run(
            queue.stream(spark, columns="position,message_id"), table.write, availableNow=True
        ).awaitTermination()
    assert len(table.rows) == 50

    shutil.rmtree(tmp_path / "checkpoint")
    table.fails = False
    queue.publish(range(50, 60))
    run(queue.stream(spark, columns="position,message_id"), table.write, availableNow=True).awaitTermination()

    assert [row["message_id"] for row in table.rows] == [f"m{number}" for number in range(60)]
    assert queue.committed() == 60


def test_a_reader_that_has_lost_its_data_is_told_of_however_often_a_query_is_started(
    spark: SparkSession, queue: SparkQueue, run: Callable[..., StreamingQuery]
) -> None:
    # Given a query that has come some way, whose reader or spool is gone then
    queue.publish(range(50))
    run(queue.stream(spark), Table().write, availableNow=True).awaitTermination()
    queue.lose_data()
    # When more has come than it once had, and it is started by somebody who does not give up
    queue.publish(range(50, 200))
    table = Table()
    for _ in range(3):
        with pytest.raises(StreamingQueryException, match="the checkpoint is at position 50, and reader"):
            run(queue.stream(spark), table.write, availableNow=True).awaitTermination()
    # Then nothing is passed over
    assert table.rows == []
    until(lambda: queue.waiting() == 150)


def test_a_drain_takes_what_waits_and_is_done_with_it_when_the_work_is(
    spark: SparkSession, queue: SparkQueue
) -> None:
    queue.publish(range(30))

    with suppress(InterruptedError), drain(spark, **queue.options, max_rows=20) as frame:
        assert frame.count() == 20
        raise InterruptedError
    with drain(spark, **queue.options, max_rows=20, columns="message_id") as frame:
        first = [row.message_id for row in frame.collect()]
        assert [row.message_id for row in frame.collect()] == first

    assert first == [f"m{number}" for number in range(20)]
    assert queue.committed() == 20
    # Reading without a drain is done with nothing.
    for _ in range(2):
        assert spark.read.format("penstock").options(**queue.options).load().count() == 10
    assert queue.committed() == 20


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"queue": "nowhere"}, "UnknownQueue: .*nowhere"),
        ({"max_rows": "many"}, "BadSetting: option max_rows: is a whole number"),
        ({"schema_type": "no.such.Type"}, "no.such.Type cannot be imported"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence_before_a_query_runs(
    spark: SparkSession, queue: SparkQueue, changes: dict[str, str], told: str
) -> None:
    with pytest.raises(AnalysisException, match=told) as caught:
        spark.readStream.format("penstock").options(**queue.options | changes).load()
    assert "Traceback" not in str(caught.value)


def test_a_wrong_password_is_told_and_a_right_one_never_shown(spark: SparkSession, queue: SparkQueue) -> None:
    secret = {"url": queue.broker.url.replace("guest:guest", "guest:sesame")}
    with pytest.raises(AnalysisException, match="LoginRefused") as caught:
        spark.readStream.format("penstock").options(**queue.options | secret).load()
    assert "sesame" not in str(caught.value)

    plan = queue.stream(spark)._jdf.queryExecution().toString()
    assert "guest:guest" not in plan
