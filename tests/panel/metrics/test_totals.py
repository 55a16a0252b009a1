"""What is told of the broker as a whole."""

from __future__ import annotations

import asyncio

from penstock.panel.metrics.totals import totals
from penstock.wire.amqp import BasicProperties, content_frames, method_frame
from penstock.wire.amqp.methods import BasicPublish
from penstock.wiring import Message
from tests.panel.asgi import opened
from tests.panel.house import House
from tests.panel.metrics.reading import read
from tests.server.peer import until


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


def test_the_dead_are_counted_by_what_they_died_of_even_where_the_queue_is_gone() -> None:
    async def story() -> None:
        async with opened() as guest:
            embedded = guest.panel.embedded
            host = embedded.broker.hosts["/"]
            for name, how in (("short", {"max_length": 1}), ("brief", {"expires_in": 1.0})):
                host.create_queue(name, now=0.0, **how)
                host.wiring.publish("", [Message(b"", name), Message(b"", name)], 0.0)
            host.wiring.deliver(0.0)
            host.wiring.tick(2.0)
            host.wiring.destroy_queue(host.wiring.queues["", "short"])
            host.clear_away()
            told = read(totals(embedded))
            dead = "rabbitmq_global_messages_dead_lettered"
            assert told[f"{dead}_expired_total",] == 2
            assert told[f"{dead}_maxlen_total",] == 1
            assert told[f"{dead}_rejected_total",] == told[f"{dead}_delivery_limit_total",] == 0

    asyncio.run(story())


def test_what_clients_did_is_counted_while_they_are_there_and_when_they_have_gone() -> None:
    with House() as house:
        client = house.client()
        house.put("/queues/%2F/q")
        for key, mandatory in (("q", False), ("nowhere", True), ("nowhere", False)):
            frames = content_frames(1, BasicProperties.of(), b"x", 131_072)
            client.transport.write(method_frame(1, BasicPublish("", key, mandatory=mandatory)) + frames)
        house.run(until(lambda: client.confirmed == 3))

        def told(name: str) -> float:
            return read(totals(house.embedded))[f"rabbitmq_{name}_total",]

        def counted() -> list[float]:
            names = ("confirmed", "unroutable_returned", "unroutable_dropped")
            return [told(f"global_messages_{name}") for name in names]

        assert counted() == [3, 1, 1]
        assert (told("connections_opened"), told("connections_closed")) == (1, 0)
        assert (told("channels_opened"), told("channels_closed")) == (1, 0)
        house.run(client.leave())
        assert counted() == [3, 1, 1]
        assert (told("connections_closed"), told("channels_closed")) == (1, 1)
