"""What sinks say before anything starts, and real rows in a database and a queue."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Queue as Declared
from penstock.client.sync import connect
from penstock.errors import BadPipeline
from penstock.pipelines.declared import Delta, Parquet, Pipeline, Publish, Upsert
from penstock.pipelines.declared.poison import PoisonRow, as_table
from penstock.pipelines.declared.status import State
from penstock.pipelines.options import SinkOptions
from tests.pipelines.declared.threads import plainly, supervised, write_threads

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.client.sync import SyncClient, SyncDelivery
    from tests.servers.running import Running


@pytest.mark.parametrize(
    ("sink", "shown", "after_reset"),
    [
        (Delta("t"), "delta t", "t has no key: rows that come again are added a second time"),
        (Delta("t", key="id"), "delta t", "t knows rows that come again by their id, and leaves them out"),
        (Parquet("t"), "parquet t", "t gets rows that come again a second time: delete it first, or"),
        (Upsert("sqlite:///x", "t", ("id",)), "upsert t", "rows of t that come again take the place"),
        (Publish("q"), "publish to q", "rows that come again are published to q again"),
        (Publish("k", "x"), "publish to x k", "rows that come again are published to x k again"),
    ],
)
def test_a_sink_says_what_it_is_in_a_few_words(sink: Any, shown: str, after_reset: str) -> None:
    assert str(sink) == shown
    assert sink.after_reset.startswith(after_reset)


@pytest.mark.parametrize(
    ("sink", "told"),
    [
        (Upsert("env:NO_SUCH", "t", ("id",)), "pipeline a: url: the environment variable NO_SUCH is not set"),
        (Publish("q", url="env:NO_SUCH"), "pipeline a: url: the environment variable NO_SUCH is not set"),
        (Publish("q", url="amqp://here", bad_rows="eat"), "pipeline a: option bad_rows: is fail or skip"),
    ],
)
def test_what_cannot_be_written_is_told_before_anything_starts(sink: Any, told: str) -> None:
    with pytest.raises(BadPipeline, match=told):
        sink.check("a")


def test_a_broker_that_does_not_let_us_in_is_told_before_anything_starts(penstock_server: Running) -> None:
    Publish("q", url=penstock_server.url).check("a")
    wrong = penstock_server.url.replace("guest:guest", "guest:sesame")
    with pytest.raises(BadPipeline, match="pipeline a: ACCESS_REFUSED - Login was refused"):
        Publish("q", url=wrong).check("a")


def test_all_that_is_said_of_messages_is_told_to_spark() -> None:
    read = SinkOptions.read(Publish("k", "x", SinkOptions, "amqp://here", "skip").options())
    assert (read.exchange, read.routing_key, read.bad_rows) == ("x", "k", "skip")
    assert read.schema_type == "penstock.pipelines.options.SinkOptions"


def test_a_database_does_not_show_its_password() -> None:
    assert "secret" not in repr(Upsert("postgresql://me:secret@db/x", "t", ("id",)))


def test_rows_go_into_a_database_and_into_a_queue(
    spark: SparkSession, tmp_path: Path, penstock_server: Running, name: str
) -> None:
    # Given a table that has one of the rows already, and a queue
    with closing(sqlite3.connect(tmp_path / "app.db")) as database, connect(penstock_server.url) as client:
        database.execute("CREATE TABLE threads (id INTEGER PRIMARY KEY, title TEXT)")
        database.execute("INSERT INTO threads VALUES (1, 'as it was')")
        database.commit()
        client.declare(Declared(name))
        source = write_threads(tmp_path / "threads", "1.json", range(3))
        into_table = Pipeline(
            name="into-table",
            source=source,
            sink=Upsert(f"sqlite:///{tmp_path / 'app.db'}", "threads", ("id",)),
            transform=plainly,
        )
        into_queue = Pipeline(
            name="into-queue",
            source=source,
            sink=Publish(name, url=penstock_server.url),
            transform=lambda rows: rows.selectExpr("CAST(title AS BINARY) AS body"),
        )
        # When both pipelines have run, Then each row is in both
        running = supervised(tmp_path / "data", spark, into_table, into_queue)
        assert running.run() == {"into-table": State.DONE, "into-queue": State.DONE}
        rows = database.execute("SELECT id, title FROM threads ORDER BY id").fetchall()
        assert rows == [(each, f"thread {each}") for each in range(3)]
        bodies = sorted(each.body for each in taken(client, name))
        assert bodies == [b"thread 0", b"thread 1", b"thread 2"]
        # And rows that were set aside can be messages as well
        poison = [PoisonRow(digest=each, row=f'{{"id": {each}}}', reason="no title") for each in "12"]
        ids = []
        for at in (0.0, 1.0):
            keeper = Publish(name, url=penstock_server.url)
            keeper.keep(as_table(spark, "loud", 3, poison[:: -1 if at else 1], at), "loud.aa")
            deliveries = taken(client, name)
            ids.append({json.loads(each.body)["row"]: each.properties.message_id for each in deliveries})
            kept = json.loads(deliveries[0].body)
            assert (kept["pipeline"], kept["batch"], kept["reason"]) == ("loud", 3, "no title")
            assert (kept["at"], kept["row"]) == (f"1970-01-01T00:00:0{at:.0f}.000Z", '{"id": 1}')
        # Under the same ids however often
        assert ids[0] == ids[1] == {'{"id": 1}': "loud.aa-0", '{"id": 2}': "loud.aa-1"}


def taken(client: SyncClient, queue: str) -> list[SyncDelivery]:
    """What is in a queue; it is empty afterwards."""
    deliveries = []
    while (delivery := client.get(queue)) is not None:
        delivery.ack()
        deliveries.append(delivery)
    return deliveries
