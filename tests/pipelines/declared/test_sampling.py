from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from penstock.client import Outgoing
from penstock.client import Queue as Declared
from penstock.client.sync import connect
from penstock.errors import BrokerRefused
from penstock.pipelines.declared import Queue

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.servers.running import Running


class Thread(msgspec.Struct):
    id: int
    title: str


def test_messages_are_looked_at_and_stay_where_they_are(
    spark: SparkSession, broker: Running, name: str
) -> None:
    with connect(broker.url) as client:
        # Given a queue with three messages, one of them not as it should be
        client.declare(Declared(name))
        bodies = [{"id": 1, "title": "first"}, {"id": 2, "title": 7}, {"id": 3, "title": "third"}]
        client.publish_many([Outgoing("", name, json.dumps(body).encode()) for body in bodies])
        # When some are looked at
        queue = Queue(name, Thread, url=broker.url)
        rows = queue.sample(spark, 2).collect()
        # Then they are as a pipeline would see them
        assert [(row.position, row.id, row.title) for row in rows] == [(1, 1, "first"), (2, None, None)]
        assert rows[1].bad_body == json.dumps(bodies[1]).encode()
        # And all are still there, in their order
        left = []
        while (delivery := client.get(name)) is not None:
            left.append(json.loads(delivery.body)["id"])
            delivery.ack()
        assert left == [1, 2, 3]
        # And an empty queue has columns, too
        empty = queue.sample(spark, 2)
        assert (empty.columns, empty.count()) == (rows[0].__fields__, 0)


def test_a_queue_that_is_not_there_is_told(spark: SparkSession, penstock_server: Running) -> None:
    with pytest.raises(BrokerRefused, match="no_such_queue"):
        Queue("no_such_queue", url=penstock_server.url).sample(spark, 1)
