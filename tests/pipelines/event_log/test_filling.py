"""The log filled from queues of a real broker."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from penstock.bootstrap.panel_pipelines import PipelinesFolder
from penstock.client import Outgoing, Queue
from penstock.client.sync import connect
from penstock.clock import SystemClock
from penstock.errors import BadPipeline, BadSetting
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.event_log.filling import Filling
from penstock.pipelines.event_log.log import LIVES, EventLog
from penstock.wire.amqp import BasicProperties
from tests.pipelines.event_log.rows import NOON, step

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.servers.running import Running


def event(queue: str, number: int) -> Outgoing:
    properties = BasicProperties.of(
        message_id=f"m{number}", type="OrderPlaced", timestamp=int(NOON.timestamp()), delivery_mode=2
    )
    return Outgoing("", queue, b"{}", properties)


def filled(spark: SparkSession, filling: Filling) -> Mapping[str, str]:
    """Fill the log with what waits now; how that ended."""
    return Supervisor(filling.pipelines(), filling.data, spark, clock=SystemClock(), once=True).run()


def test_what_waits_in_queues_is_filed_once(
    spark: SparkSession, penstock_server: Running, name: str, tmp_path: Path
) -> None:
    # Given a queue with three events, one of them published twice, and a queue with a step of a life
    log = EventLog(str(tmp_path / "log"))
    lives = json.dumps([step("acked", 1, 1, queue="mails")]).encode()
    with connect(penstock_server.url) as client:
        client.declare(Queue(name), Queue(f"{name}-lives"))
        assert not any(client.publish_many([event(name, number) for number in (1, 2, 3, 1)]))
        client.publish(Outgoing("", f"{name}-lives", lives, BasicProperties.of(type="penstock.lives")))
        # When the log is filled from both, twice
        filling = Filling(log=log, events=name, lives=f"{name}-lives", url=penstock_server.url)
        filling.check()
        assert filled(spark, filling) == {"event-log-events": "done", "event-log-lives": "done"}
        assert not any(client.publish_many([event(name, 3), event(name, 4)]))
        again = Filling(log=log, events=name, url=penstock_server.url)
        assert filled(spark, again) == {"event-log-events": "done"}
    # Then each event is there once
    assert list(log.counts()) == [("2026-01-31", "OrderPlaced", 4)]
    assert list(log.counts(LIVES)) == [("2026-01-31", "acked", 1)]
    # And how it went stands where the panel looks for it
    [told, _] = asyncio.run(PipelinesFolder(filling.data).listed())
    assert (told.name, told.state, told.rows) == ("event-log-events", "done", 2)


def test_an_event_that_no_folder_can_be_named_after_is_set_aside(
    spark: SparkSession, penstock_server: Running, name: str, tmp_path: Path
) -> None:
    # Given an event whose type is longer than a folder's name may be, between two that are as usual
    log = EventLog(str(tmp_path / "log"))
    long = Outgoing("", name, b"{}", BasicProperties.of(message_id="long", type="x" * 255))
    with connect(penstock_server.url) as client:
        client.declare(Queue(name))
        assert not any(client.publish_many([event(name, 1), long, event(name, 2)]))
    # When the log is filled
    filling = Filling(log=log, events=name, url=penstock_server.url)
    assert filled(spark, filling) == {"event-log-events": "done"}
    # Then the others are in it, and that one is where somebody looks for it
    assert list(log.counts()) == [("2026-01-31", "OrderPlaced", 2)]
    [file] = (filling.data / "event-log-events" / "set-aside").iterdir()
    aside = json.loads(file.read_text())
    assert aside["row"]["message_id"] == "long"
    assert "no folder can be named after column type" in aside["reason"]


def test_what_cannot_be_filled_is_told_at_once(
    penstock_server: Running, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQ_URL", penstock_server.url)
    with pytest.raises(BadPipeline, match=f"pipeline event-log-events: .*{name}"):
        Filling(log=EventLog(str(tmp_path)), events=name).check()
    with pytest.raises(BadSetting, match="s3://b/log is no folder of this machine: say --checkpoints"):
        Filling(log=EventLog("s3://b/log"), events=name).check()
