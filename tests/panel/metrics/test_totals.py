"""What is told of the broker as a whole."""

from __future__ import annotations

import asyncio

from penstock.panel.metrics.totals import totals
from penstock.wiring import Message
from tests.panel.asgi import opened
from tests.panel.metrics.reading import read


def test_what_has_flowed_is_counted_even_of_queues_that_are_gone() -> None:
    async def story() -> None:
        async with opened() as guest:
            embedded = guest.panel.embedded
            host = embedded.broker.hosts["/"]
            queue = host.create_queue("q", now=0.0)
            host.wiring.publish("", [Message(b"", "q"), Message(b"", "nowhere")], 0.0)
            host.wiring.destroy_queue(queue)
            host.clear_away()
            told = read(totals(embedded))
            assert told["rabbitmq_global_messages_received_total",] == 2
            assert told["rabbitmq_global_messages_routed_total",] == 1
            assert told["rabbitmq_queues",] == 0

    asyncio.run(story())


def test_an_alarm_is_told_by_what_runs_short() -> None:
    async def story() -> None:
        async with opened() as guest:
            embedded = guest.panel.embedded
            assert read(totals(embedded))["rabbitmq_alarms_memory_used_watermark",] == 0
            embedded.front.block("low on memory")
            told = read(totals(embedded))
            assert told["rabbitmq_alarms_memory_used_watermark",] == 1
            assert told["rabbitmq_alarms_free_disk_space_watermark",] == 0

    asyncio.run(story())


def test_dead_letters_without_a_home_are_told_by_the_reason() -> None:
    async def story() -> None:
        async with opened() as guest:
            embedded = guest.panel.embedded
            wiring = embedded.broker.hosts["/"].wiring
            queue = wiring.create_queue("q", expires_in=1.0, now=0.0)
            wiring.register(queue, "", "q")
            wiring.publish("", [Message(b"", "q")], 0.0)
            wiring.tick(2.0)
            assert read(totals(embedded))["penstock_dead_letters_dropped_total", "/", "expired"] == 1

    asyncio.run(story())
