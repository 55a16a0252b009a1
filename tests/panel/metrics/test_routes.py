"""/metrics and /metrics/per-object of a broker at work."""

from __future__ import annotations

import asyncio
from pathlib import Path

from penstock.panel.metrics import pipelines, process, queues, readers, totals
from penstock.wiring import Message
from tests.panel.asgi import opened
from tests.panel.metrics.reading import read

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"


def test_everything_together_and_queue_by_queue() -> None:
    async def story() -> None:
        async with opened() as guest:
            host = guest.panel.embedded.broker.hosts["/"]
            host.create_queue('it\'s "quoted"', now=0.0)
            host.wiring.publish("", [Message(b"", 'it\'s "quoted"')], 0.0)
            all_in_one = await guest.get("/metrics")
            assert all_in_one.header("content-type") == "text/plain; version=0.0.4; charset=utf-8"
            told = read([all_in_one.text])
            assert told["rabbitmq_queue_messages_ready",] == told["rabbitmq_queues",] == 1
            assert told["rabbitmq_global_messages_received_total",] == 1
            assert told["rabbitmq_process_resident_memory_bytes",] > 0
            apart = read([(await guest.get("/metrics/per-object")).text])
            assert apart["rabbitmq_queue_messages_ready", "/", 'it\'s "quoted"'] == 1

    asyncio.run(story())


def test_names_of_queues_are_for_those_who_monitor() -> None:
    async def story() -> None:
        async with opened() as guest:
            guest.panel.embedded.front.access.realm.users.change_tags("guest", ["management"])
            assert (await guest.get("/metrics")).status == 403

    asyncio.run(story())


def test_every_family_is_documented() -> None:
    families = [
        *(each.family for each in (*queues.QUEUES, *queues.HISTOGRAMS)),
        *(each.family for each in totals.TOTALS),
        *(each.family for each in process.PROCESS),
        *(each.family for each in pipelines.PIPELINES),
        *readers.READERS,
        totals.DROPPED,
        process.BUILD,
        process.IDENTITY,
    ]
    page = PAGE.read_text()
    assert [each.name for each in families if f"`{each.name}`" not in page] == []
