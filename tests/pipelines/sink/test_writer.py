"""The sink in a real Spark, on every broker."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
import sqlalchemy as sa
from pyspark.errors import PySparkException, StreamingQueryException

from penstock.client.sync import connect
from penstock.errors import BadRow
from penstock.outbox import Inbox
from penstock.pipelines.declared.reasons import reason_of
from penstock.pipelines.options import SinkOptions
from penstock.pipelines.registering import register
from penstock.pipelines.sink.outgoing import Fault
from penstock.pipelines.sink.refused import read_refused
from penstock.pipelines.sink.writer import Published, QueueWriter, StreamQueueWriter, write_rows
from tests.pipelines.queues import SparkQueue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

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
    run(source.stream(spark, columns="body,headers"), queue, tmp_path / "checkpoint")
    deliveries = drained(queue)
    source.withdraw()

    assert sorted(int(delivery.body) for delivery in deliveries) == list(range(300))
    assert len({delivery.properties.message_id for delivery in deliveries}) == 300


def test_a_batch_that_is_written_again_in_another_order_has_the_same_ids_and_an_inbox_takes_each_row_once(
    spark: SparkSession, queue: SparkQueue, tmp_path: Path
) -> None:
    # Given a stream of two batches, with rows that say the same in one batch and in both
    register(spark)
    (tmp_path / "in").mkdir()
    for number, said in enumerate((["a", "b", "twin", "twin"], ["c", "d", "e", "twin", "twin", "twin"])):
        file = tmp_path / "in" / f"{number}.json"
        file.write_text("".join(f'{{"body":"{each}"}}\n' for each in said))
        os.utime(file, (number, number))
    files = spark.readStream.schema("body string").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    checkpoint = tmp_path / "checkpoint"
    run(files, queue, checkpoint)
    first = drained(queue)
    # When the last batch is forgotten, and comes again with its rows the other way round
    (checkpoint / "commits" / "1").unlink()
    (checkpoint / "commits" / ".1.crc").unlink(missing_ok=True)
    run(files.mapInArrow(backwards, files.schema), queue, checkpoint)
    again = drained(queue)
    # Then each message has the id that it had
    assert [each.body for each in again] == [b"twin", b"twin", b"twin", b"e", b"d", b"c"]
    assert ids_by_body(again) == ids_by_body(first[4:])
    # And whoever has an inbox sees each row of both batches once
    inbox, engine = Inbox(), sa.create_engine("sqlite://")
    with engine.begin() as connection:
        inbox.metadata.create_all(connection)
        new = [each for each in first + again if inbox.is_new(connection, each.properties.message_id, "one")]
    assert [each.body for each in new] == [each.body for each in first]
    engine.dispose()


def backwards(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """As a shuffle may: the same rows of the same partition, otherwise."""
    rows = pa.Table.from_batches(batches)
    yield from rows.take(list(reversed(range(rows.num_rows)))).to_batches()


def run(rows: DataFrame, queue: SparkQueue, checkpoint: Path) -> None:
    """A stream into the queue, until everything is written that is there."""
    writing = rows.writeStream.format("penstock").options(**options(queue))
    query = writing.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()


def ids_by_body(deliveries: list[SyncDelivery]) -> set[tuple[bytes, str]]:
    return {(each.body, each.properties.message_id) for each in deliveries}


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

    with pytest.raises(
        BadRow, match=r'partition 3, row 4: body is null: {"body":null}; set the option bad_rows'
    ):
        write_rows(sink, batches({"body": [b"0", b"1"]}, {"body": [b"2", b"3", None]}), 3, ("q", "7"))

    assert [delivery.body for delivery in drained(queue)] in ([], [b"0", b"1"])


def test_a_task_that_is_run_again_after_its_death_gives_no_row_the_id_of_another(queue: SparkQueue) -> None:
    sink = SinkOptions.read(options(queue))
    said = [b"0", b"1", b"twin", b"2", b"3", b"twin"]

    def dying() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"body": said[:3]})
        raise InterruptedError

    with pytest.raises(InterruptedError):
        write_rows(sink, dying(), 3, ("q", "7"))
    write_rows(sink, batches({"body": said[3:]}, {"body": said[:3]}), 3, ("q", "7"))
    found = ids_by_body(drained(queue))

    # As many ids as there are rows: what came before the death came under the same ones.
    assert sorted(body for body, _ in found) == sorted(said)
    assert len({name for _, name in found}) == len(said)


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
    [told] = [record.getMessage() for record in caplog.records if "not published" in record.getMessage()]
    assert told.startswith("partition 3: 2 rows were not published: row 1: body is null: {")
    assert told.endswith('{"body":"2","routing_key":"nowhere"}')


def test_or_it_is_kept_for_somebody_unless_there_are_many(queue: SparkQueue, tmp_path: Path) -> None:
    kept = {"bad_rows": "skip", "bad_rows_to": str(tmp_path / "refused"), "bad_rows_at_most": "2"}
    sink = SinkOptions.read(options(queue, **kept))
    rows = {"body": [b"0", None, b"2"], "routing_key": [queue.name, queue.name, "nowhere"]}

    done = write_rows(sink, batches(rows), 3, ("q", "7"))
    StreamQueueWriter(sink, ["body"]).commit([done], 41)
    [(_, batch, refused)] = read_refused(tmp_path / "refused")

    assert [delivery.body for delivery in drained(queue)] == [b"0"]
    assert (batch, [json.loads(each.row)["body"] for each in refused]) == (41, [None, "Mg=="])
    assert refused[0].reason == "body is null"
    # If many are bad, it is not the rows: neither of a task, nor of all together.
    with pytest.raises(BadRow, match="more than 2 rows of the batch were not published: body is null"):
        write_rows(sink, batches({"body": [None] * 3}), 3, ("q", "7"))
    with pytest.raises(BadRow, match="more than 2 rows of the batch were not published"):
        StreamQueueWriter(sink, ["body"]).commit([done, done], 41)


def test_what_was_kept_of_one_write_is_not_written_over_by_another(queue: SparkQueue, tmp_path: Path) -> None:
    kept = {"bad_rows": "skip", "bad_rows_to": str(tmp_path / "refused")}
    sink = SinkOptions.read(options(queue, **kept))
    # Given two writes, and a query with a new checkpoint, whose batches count from 0 again; one comes again
    for query in ("one", "two", "three", "three"):
        done = write_rows(sink, batches({"body": [None]}), 0, (query, "0"))
        StreamQueueWriter(sink, ["body"]).commit([done], 0)
    # Then the bad rows of all are there, once
    assert [(batch, len(rows)) for _, batch, rows in read_refused(tmp_path / "refused")] == [(0, 1)] * 3


def test_a_wrong_password_ends_a_stream_with_one_sentence(
    spark: SparkSession, penstock_server: Running, tmp_path: Path
) -> None:
    register(spark)
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    writing = rows.selectExpr("'x' AS body").writeStream.format("penstock")
    wrong = penstock_server.url.replace("guest:guest", "guest:sesame")
    writing = writing.options(url=wrong, routing_key="q", checkpointLocation=str(tmp_path / "checkpoint"))
    query = writing.start()
    with pytest.raises(StreamingQueryException) as caught:
        query.awaitTermination()
    assert "LoginRefused" in reason_of(caught.value)
    assert "Traceback" not in str(caught.value)


def test_only_the_first_of_many_bad_rows_are_told_one_by_one() -> None:
    done = Published(0, "q")
    done.add([Fault(row, "bad") for row in range(70)])
    done.add([Fault(row, "bad") for row in range(70)])

    assert (done.bad, len(done.faults)) == (140, 100)
