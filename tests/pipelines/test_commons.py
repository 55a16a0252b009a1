"""The pipeline of examples/commons: its transforms on inline rows, then from a real queue into a table."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.testing import assertDataFrameEqual

from examples.commons.events import EntityChanged
from examples.commons.pipelines import QUEUE, THINGS, activity, changes_by_chain
from examples.commons.service import NAMESPACE
from penstock.client import Outgoing
from penstock.client.sync import connect
from penstock.messaging.application import Application
from penstock.pipelines.declared import Delta, Queue
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.status import State
from penstock.pipelines.tables.reading import read_delta
from tests.pipelines.declared.threads import supervised

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.servers.running import Running

MESSAGES = (
    "message_id STRING, arrived TIMESTAMP, id STRING, chain STRING, change STRING, title STRING,"
    " bad STRING, bad_body BINARY"
)
CHANGES = "message_id STRING, at TIMESTAMP, chain STRING, entity STRING, change STRING"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_a_change_becomes_a_row_and_anything_else_does_not(spark: SparkSession) -> None:
    messages: list[Any] = [
        ("m1", NOON, "p1", "juno", "created", "One", None, None),
        ("m2", NOON, None, None, None, None, "no JSON", b"?"),
    ]
    rows = activity(spark.createDataFrame(messages, MESSAGES))
    expected = spark.createDataFrame([("m1", NOON, "juno", "p1", "created")], CHANGES)
    assertDataFrameEqual(rows, expected)


def test_changes_are_counted_by_chain_and_kind(spark: SparkSession) -> None:
    kinds = [("juno", "created"), ("juno", "created"), ("juno", "deleted"), ("edgeware", "updated")]
    changes = [(str(each), NOON, chain, "p", kind) for each, (chain, kind) in enumerate(kinds)]
    counted = changes_by_chain(spark.createDataFrame(changes, CHANGES))
    expected = spark.createDataFrame(
        [("edgeware", 0, 1, 0), ("juno", 2, 0, 1)], "chain STRING, created LONG, updated LONG, deleted LONG"
    )
    assertDataFrameEqual(counted, expected, checkRowOrder=True)


def test_changes_flow_from_the_queue_into_the_chart(
    spark: SparkSession, tmp_path: Path, penstock_server: Running
) -> None:
    # Given changes that the services have told, one of them twice, and something that is no change
    url = penstock_server.url
    with connect(url) as client:
        client.declare(*THINGS)
        client.purge(QUEUE)
    asyncio.run(tell_changes(url))
    with connect(url) as client:
        client.publish(Outgoing("", QUEUE, b"no JSON"))
    # When the pipeline has run
    here = replace(
        activity,
        source=Queue(QUEUE, EntityChanged, url, columns=("message_id", "arrived")),
        sink=Delta(tmp_path / "activity", key="message_id"),
    )
    assert supervised(tmp_path / "data", spark, here).run() == {"activity": State.DONE}
    # Then the chart has each change once
    expected = [("juno", 2, 1, 0), ("osmosis", 1, 0, 0)]
    rows = changes_by_chain(read_delta(spark, str(tmp_path / "activity"))).collect()
    assert [tuple(row) for row in rows] == expected
    # And if the checkpoint is lost, and all of it comes once more, still each once
    Place(tmp_path / "data", "activity").forget()
    asyncio.run(tell_changes(url))
    assert supervised(tmp_path / "data", spark, here).run() == {"activity": State.DONE}
    rows = changes_by_chain(read_delta(spark, str(tmp_path / "activity"))).collect()
    assert [tuple(row) for row in rows] == expected


async def tell_changes(url: str) -> None:
    """As the services do; each message has the id that it always has."""
    app = Application(NAMESPACE, mq_url=url)
    app.events.add(EntityChanged)
    async with app:
        for number, chain in enumerate(("juno", "osmosis", "juno")):
            await app.publish(EntityChanged(f"p{number}", chain, "created", "One"), id=f"m{number}")
        change = EntityChanged("p0", "juno", "updated", "Two")
        for _ in range(2):
            await app.publish(change, id="told-twice")
