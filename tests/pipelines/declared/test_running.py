"""Real queries in the session that all tests of pipelines share."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JNetworkError

from penstock.bootstrap.panel_pipelines import PipelinesFolder
from penstock.client import Binding, Exchange
from penstock.client import Queue as Declared
from penstock.client.settings import ClientSettings
from penstock.client.sync import connect
from penstock.clock import VirtualClock
from penstock.pipelines.declared import Delta, Parquet, Pipeline, Publish, Rate, Upsert, course
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.running import RunningPipeline
from penstock.pipelines.declared.status import State, read_status
from penstock.pipelines.tables.reading import read_delta
from tests.pipelines.declared.threads import NO_TITLE, POISON, loudly, plainly, supervised, write_threads

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.declared import Files
    from tests.servers.running import Running


@pytest.fixture
def threads(tmp_path: Path) -> Files:
    """Ten threads in two files; one of the second file has no title."""
    write_threads(tmp_path / "threads", "1.json", range(5))
    return write_threads(tmp_path / "threads", "2.json", range(5, 10))


def test_a_poison_row_is_set_aside_while_the_rest_flows(
    spark: SparkSession, tmp_path: Path, threads: Files, caplog: pytest.LogCaptureFixture
) -> None:
    # Given a pipeline that fails on one row, and another beside it that does not
    caplog.set_level(logging.INFO, "penstock")
    loud = Pipeline(
        name="loud",
        source=threads,
        sink=Delta(tmp_path / "loud"),
        transform=loudly,
        suspect_after=1,
        set_aside_to=Delta(tmp_path / "dead"),
    )
    plain = Pipeline(name="plain", source=threads, sink=Parquet(tmp_path / "plain"), transform=plainly)
    running = supervised(tmp_path / "data", spark, loud, plain)
    # When both run to the end of what there is
    ends = running.run()
    # Then one has everything, and the other everything but that row
    assert ends == {"loud": State.DONE, "plain": State.DONE}
    assert sorted(row.id for row in spark.read.parquet(str(tmp_path / "plain")).collect()) == list(range(10))
    rows = read_delta(spark, str(tmp_path / "loud")).collect()
    assert sorted(row.id for row in rows) == [each for each in range(10) if each != POISON]
    assert {row.title for row in rows if row.id == 3} == {"THREAD 3"}
    # And the row is kept with the reason
    [file] = (tmp_path / "data" / "loud" / "set-aside").iterdir()
    [line] = file.read_text().splitlines()
    kept = json.loads(line)
    assert (kept["reason"], kept["row"]) == (NO_TITLE, {"id": POISON, "title": None})
    [dead] = read_delta(spark, str(tmp_path / "dead")).collect()
    assert (dead.pipeline, dead.reason, json.loads(dead.row)["id"]) == ("loud", NO_TITLE, POISON)
    # And all that is told: to others by a file, to a panel by numbers, to a person one line for each batch
    status = read_status(Place(tmp_path / "data", "loud"))
    assert (status.state, status.batch, status.error) == (State.DONE, 1, NO_TITLE)
    seen, other = asyncio.run(PipelinesFolder(tmp_path / "data").listed())
    assert (seen.state, seen.batch, seen.set_aside, seen.last_error) == ("done", 1, 1, NO_TITLE)
    assert (other.name, other.failures, other.last_error) == ("plain", 0, None)
    assert min(seen.rows, other.rows, seen.updated_at or 0) > 0
    numbers = running.metrics()["loud"]
    assert (numbers.batches, numbers.failures, numbers.set_aside) == (2, 1, 1)
    told = [record for record in caplog.records if record.getMessage() == "batch done"]
    assert sorted((record.pipeline, record.batch) for record in told) == [  # type: ignore[attr-defined]
        ("loud", 0),
        ("loud", 1),
        ("plain", 0),
        ("plain", 1),
    ]


def test_rows_that_their_sink_will_not_have_are_set_aside_while_the_rest_flows(
    spark: SparkSession, tmp_path: Path, penstock_server: Running, name: str
) -> None:
    # Given a table and an exchange that will not have one of the rows, for reasons of their own
    source = write_threads(tmp_path / "threads", "1.json", range(5, 10))
    exchange = Exchange(name, "direct")
    with closing(sqlite3.connect(tmp_path / "app.db")) as database, connect(penstock_server.url) as client:
        database.execute("CREATE TABLE threads (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
        database.commit()
        client.declare(exchange, Declared(name), Binding(exchange.name, name, "known"))
        into_table = Pipeline(
            name="into-table",
            source=source,
            sink=Upsert(f"sqlite:///{tmp_path / 'app.db'}", "threads", ("id",)),
            transform=plainly,
            suspect_after=1,
        )
        into_queue = Pipeline(
            name="into-queue",
            source=source,
            sink=Publish(exchange=name, url=penstock_server.url),
            transform=lambda rows: rows.selectExpr(
                "CAST(id AS STRING) AS body", "if(title IS NULL, 'unknown', 'known') AS routing_key"
            ),
            suspect_after=1,
            set_aside_to=Delta(tmp_path / "dead"),
        )
        # When they run
        ends = supervised(tmp_path / "data", spark, into_table, into_queue).run()
        # Then the others are there
        assert ends == {"into-table": State.DONE, "into-queue": State.DONE}
        rest = [each for each in range(5, 10) if each != POISON]
        assert [row[0] for row in database.execute("SELECT id FROM threads ORDER BY id")] == rest
        # What was published before the batch failed came again under the same ids.
        messages = set()
        while (delivery := client.get(name)) is not None:
            messages.add((int(delivery.body), delivery.properties.message_id))
            delivery.ack()
        assert sorted(body for body, _ in messages) == rest
        client.withdraw(exchange, Declared(name))
    # And that one is kept, with the reason
    told = {each: kept_by(tmp_path / "data" / each) for each in ends}
    assert told["into-table"]["row"] == {"id": POISON, "title": None}
    assert "NOT NULL constraint failed" in told["into-table"]["reason"]
    assert told["into-queue"]["row"] == {"body": str(POISON), "routing_key": "unknown"}
    assert "no queue takes messages of" in told["into-queue"]["reason"]
    [dead] = read_delta(spark, str(tmp_path / "dead")).collect()
    assert json.loads(dead.row)["body"] == str(POISON)
    status = read_status(Place(tmp_path / "data", "into-queue"))
    assert (status.metrics.set_aside, status.metrics.failures) == (1, 1)


def kept_by(folder: Path) -> dict[str, Any]:
    """The one row that a pipeline has set aside."""
    [file] = (folder / "set-aside").iterdir()
    found: dict[str, Any] = json.loads(file.read_text())
    assert list((folder / "refused").glob("*")) == []
    return found


def test_a_pipeline_that_no_row_is_to_blame_for_gives_up_in_the_end(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Given one that fails on more rows than can be set aside, and no patience
    monkeypatch.setattr(course, "WAITS", ClientSettings(backoff_initial=0.01, backoff_max=0.01))
    threads = write_threads(tmp_path / "threads", "1.json", range(0))
    (tmp_path / "threads" / "1.json").write_text('{"id": 1}\n{"id": 2}\n')
    hopeless = Pipeline(
        name="hopeless",
        source=threads,
        sink=Parquet(tmp_path / "out"),
        transform=loudly,
        suspect_after=1,
        set_aside_at_most=1,
    )
    # When it runs, Then it fails for good, and says why
    assert supervised(tmp_path / "data", spark, hopeless).run() == {"hopeless": State.FAILED}
    status = read_status(Place(tmp_path / "data", "hopeless"))
    assert (status.state, status.error, status.metrics.set_aside) == (State.FAILED, NO_TITLE, 0)
    told = {record.getMessage(): vars(record).get("reason") for record in caplog.records}
    assert told["no rows were set aside"] == f"more than 1 rows fail, the last with: {NO_TITLE}"
    assert told["pipeline failed for good"] == NO_TITLE


class Gone(Rate):
    """A source whose Java has ended."""

    def load(self, spark: SparkSession, pipeline: str) -> DataFrame:
        raise Py4JNetworkError("Answer from Java side is empty")


def test_without_java_nobody_tries_again(tmp_path: Path) -> None:
    pipeline = Pipeline(name="lost", source=Gone(), sink=Parquet(tmp_path / "out"), transform=plainly)
    place = Place(tmp_path, "lost")
    running = RunningPipeline(pipeline, place, None, clock=VirtualClock())  # type: ignore[arg-type]
    assert running.run() is State.FAILED
    assert (running.metrics.failures, running.status.error) == (1, "Answer from Java side is empty")
    assert read_status(place).state is State.FAILED
