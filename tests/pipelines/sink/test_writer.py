"""The sink in a real Spark, on every broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from penstock.client.sync import connect
from penstock.errors import BadRow
from penstock.pipelines.options import SinkOptions
from penstock.pipelines.registering import register
from penstock.pipelines.sink.outgoing import Fault
from penstock.pipelines.sink.writer import Published, QueueWriter, write_rows
from tests.pipelines.queues import SparkQueue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.client.sync import SyncDelivery
    from tests.servers.running import Running


@pytest.fixture
def queue(broker: Running, name: str, tmp_path: Path) -> Iterator[SparkQueue]:
    with connect(broker.url) as client:
        made = SparkQueue(broker, client, name, tmp_path)
        made.declare()
        yield made
        made.withdraw()


def drained(queue: SparkQueue) -> list[SyncDelivery]:
    found = []
    while (delivery := queue.client.get(queue.name)) is not None:
        delivery.ack()
        found.append(delivery)
    return found


def options(queue: SparkQueue, **more: str) -> dict[str, str]:
    return {"url": queue.broker.url, "routing_key": queue.name, **more}


def test_a_table_is_published_and_the_same_write_again_has_the_same_ids(
    spark: SparkSession, queue: SparkQueue
) -> None:
    register(spark)
    table = spark.range(40, numPartitions=2).selectExpr(
        "id AS number", "'c' AS customer", "to_json(map('n', id)) AS headers"
    )
    ids: list[list[str]] = []
    for _ in range(2):
        writing = table.write.format("penstock").mode("append")
        writing.options(
            **options(queue, schema_type="tests.pipelines.source.typed.Order", write_id="w")
        ).save()
        deliveries = drained(queue)
        ids.append(sorted(delivery.properties.message_id for delivery in deliveries))

    assert len(set(ids[0])) == 40
    assert ids[0] == ids[1]
    assert sorted(delivery.properties.headers["n"] for delivery in deliveries) == list(range(40))
    assert deliveries[0].properties.delivery_mode == 2
    assert b'"customer":"c"' in deliveries[0].body


def test_a_stream_flows_from_one_queue_into_another(
    spark: SparkSession, queue: SparkQueue, tmp_path: Path
) -> None:
    register(spark)
    source = SparkQueue(queue.broker, queue.client, f"{queue.name}-from", tmp_path)
    source.declare()
    source.publish(range(300))
    frame = source.stream(spark, columns="body,headers")

    query = (
        frame.writeStream.format("penstock")
        .options(**options(queue))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    deliveries = drained(queue)
    source.withdraw()

    assert sorted(int(delivery.body) for delivery in deliveries) == list(range(300))
    assert len({delivery.properties.message_id for delivery in deliveries}) == 300


def test_a_table_that_cannot_be_messages_is_refused_in_a_sentence(
    spark: SparkSession, penstock_server: Running
) -> None:
    register(spark)
    with pytest.raises(PySparkException, match="nobody says where the messages go") as caught:
        spark.range(1).selectExpr("'x' AS body").write.format("penstock").mode("append").option(
            "url", penstock_server.url
        ).save()
    assert "Traceback" not in str(caught.value)


# Without Spark: what a task does


def batches(*columns: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    return iter([pa.record_batch(each) for each in columns])


def test_a_bad_row_fails_the_task_and_nothing_of_its_batch_is_published(queue: SparkQueue) -> None:
    sink = SinkOptions.read(options(queue))

    with pytest.raises(BadRow, match=r"partition 3, row 4: body is null; set the option bad_rows"):
        write_rows(sink, batches({"body": [b"0", b"1"]}, {"body": [b"2", b"3", None]}), 3, ("q", "7"))

    assert [delivery.body for delivery in drained(queue)] in ([], [b"0", b"1"])


def test_or_it_is_left_out_and_told_of(queue: SparkQueue, caplog: pytest.LogCaptureFixture) -> None:
    sink = SinkOptions.read(options(queue, bad_rows="skip"))

    done = write_rows(
        sink,
        batches(
            {"body": [b"0", None], "routing_key": [queue.name, queue.name]},
            {"body": [b"2", b"3"], "routing_key": ["nowhere", queue.name]},
        ),
        3,
        ("q", "7"),
    )
    QueueWriter(sink, ["body"]).commit([done, None])

    assert [delivery.body for delivery in drained(queue)] == [b"0", b"3"]
    assert (done.rows, done.bad) == (4, 2)
    assert [fault.row for fault in done.faults] == [1, 2]
    assert "partition 3: 2 rows were not published: row 1: body is null; row 2: " in caplog.text


def test_only_the_first_of_many_bad_rows_are_told_one_by_one() -> None:
    done = Published(0)
    done.add([Fault(row, "bad") for row in range(70)])
    done.add([Fault(row, "bad") for row in range(70)])

    assert (done.bad, len(done.faults)) == (140, 100)
