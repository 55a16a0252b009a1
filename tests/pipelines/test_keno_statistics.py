"""The statistics of examples/keno: the transform on inline rows, then from the channel to the clients."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
from pyspark.testing import assertDataFrameEqual

from examples.keno.game import BUILDING_CHANNEL, Game
from examples.keno.planet_statistics import ROUTE, STATISTICS_CHANNEL, statistics_of
from examples.keno.statistics import PIPE, BuildingMessage, Pipe, Served, statistics
from examples.keno.universe import make_universe
from penstock.client import Binding, Exchange, Outgoing, Queue
from penstock.client.sync import connect
from penstock.pipelines.declared.status import State
from penstock.wire.amqp import BasicProperties
from tests.pipelines.declared.threads import supervised

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.servers.running import Running

EVENT = "struct<building_id: long, body_id: long, empire_id: long, kind: string, level: long, ore: long>"
MESSAGES = f"message_id STRING, arrived TIMESTAMP, route STRING, content {EVENT}, bad STRING, bad_body BINARY"
STATISTICS = (
    "body_id LONG, empire_id LONG, upgrades LONG, highest LONG, shifts LONG, ore LONG, last_at DOUBLE"
)
UPGRADED, WORKED = "/building/upgraded", "/building/worked"


def at(second: int) -> datetime:
    return datetime(2026, 1, 31, 12, 0, second, tzinfo=UTC)


def test_what_happens_on_a_planet_is_counted_once_however_often_it_is_told(spark: SparkSession) -> None:
    messages: list[Any] = [
        ("m1", at(1), UPGRADED, (10, 1, 3, "mine", 2, 0), None, None),
        ("m2", at(2), UPGRADED, (10, 1, 3, "mine", 3, 0), None, None),
        ("m2", at(2), UPGRADED, (10, 1, 3, "mine", 3, 0), None, None),
        ("m3", at(3), WORKED, (10, 1, 3, "mine", 0, 180), None, None),
        ("m4", at(4), UPGRADED, (11, 1, 4, "shipyard", 2, 0), None, None),
        ("m5", at(5), WORKED, (20, 2, 5, "mine", 0, 60), None, None),
        ("m6", at(6), None, None, "no JSON", b"?"),
    ]
    rows = statistics(spark.createDataFrame(messages, MESSAGES))
    expected = [
        (1, 4, 3, 3, 1, 180, at(4).timestamp()),
        (2, 5, 0, 0, 1, 60, at(5).timestamp()),
    ]
    assertDataFrameEqual(rows, spark.createDataFrame(expected, STATISTICS))


def told(number: int, route: str, **content: Any) -> Outgoing:
    event = {"building_id": 10, "body_id": 1, "empire_id": 3, "kind": "mine", **content}
    body = msgspec.json.encode({"route": route, "user_id": 3, "content": event})
    return Outgoing(BUILDING_CHANNEL, "", body, BasicProperties.of(message_id=f"m{number}"), mandatory=False)


def test_statistics_flow_from_the_channel_into_the_table_and_to_the_clients(
    spark: SparkSession, tmp_path: Path, penstock_server: Running, name: str
) -> None:
    # Given a game, somebody who listens to its statistics, and a pipe from its channel
    game = Game(database := f"sqlite:///{tmp_path / 'game.db'}")
    game.create()
    with game.begin() as connection:
        make_universe(connection)
    here = replace(
        statistics,
        source=Pipe(PIPE, BuildingMessage, penstock_server.url, columns=("message_id", "arrived")),
        sink=Served(database, "planet_statistics", key=("body_id",), broker=penstock_server.url),
    )
    with connect(penstock_server.url) as client:
        listener = Queue(f"{STATISTICS_CHANNEL}_{name[-8:]}", exclusive=True)
        client.declare(
            Exchange(STATISTICS_CHANNEL, "fanout"), listener, Binding(STATISTICS_CHANNEL, listener.name)
        )
        here.source.check("statistics")
        client.purge(PIPE)
        # When buildings are upgraded and have worked, and one event comes twice
        for number, level in ((1, 2), (2, 3), (1, 2)):
            client.publish(told(number, UPGRADED, level=level))
        client.publish(told(3, WORKED, ore=60))
        assert supervised(tmp_path / "data", spark, here).run() == {"statistics": State.DONE}
        # Then the table that the game serves has what was counted
        with game.read() as connection:
            [row] = statistics_of(connection, 3)
        assert (row["upgrades"], row["highest"], row["shifts"], row["ore"]) == (2, 3, 1, 60)
        # And the clients of the empire are told
        told_last = client.get(listener)
        assert told_last is not None
        message = msgspec.json.decode(told_last.body)
        assert (message["route"], message["user_id"]) == (ROUTE, 3)
        assert message["content"] == {key: value for key, value in row.items() if key != "name"}
        told_last.ack()
        client.withdraw(Queue(PIPE))
    game.close()
