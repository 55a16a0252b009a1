"""Brokers that are killed, stopped and blocked in mid-traffic: nothing confirmed is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client import Binding, Exchange, Outgoing, Queue
from penstock.errors import PublishError, PublishTimeout
from penstock.wire.amqp import BasicProperties
from tests.client.rabbit import OwnRabbitMQ
from tests.client.support import Inbox, connected, story, until
from tests.faults.broker import FaultyBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.client import Client

PERSISTENT = BasicProperties.of(delivery_mode=2)


@pytest.fixture(scope="module")
def node(
    tmp_path_factory: pytest.TempPathFactory, real_program: Callable[[str], Path]
) -> Iterator[OwnRabbitMQ]:
    """One for all of them, whose names differ: its start takes longer than any of their stories."""
    with OwnRabbitMQ(real_program("rabbitmq"), tmp_path_factory.mktemp("rabbitmq")) as node:
        yield node


@pytest.fixture(params=["rabbitmq", "penstock"])
def mortal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OwnRabbitMQ | FaultyBroker]:
    if request.param == "rabbitmq":
        yield request.getfixturevalue("node")
    else:
        with FaultyBroker(tmp_path) as broker:
            broker.start()
            yield broker


class Traffic:
    """Messages published until they are confirmed, as fast as the broker confirms them."""

    def __init__(self, client: Client, exchange: str) -> None:
        self._client = client
        self._exchange = exchange
        self.confirmed: list[bytes] = []
        self.is_over = False

    async def run(self, name: str) -> None:
        number = 0
        while not self.is_over:
            body = f"{name}-{number}".encode()
            try:
                await self._client.publish(Outgoing(self._exchange, "", body, PERSISTENT), timeout=2)
            except PublishError:
                continue  # the application decides: again
            self.confirmed.append(body)
            number += 1
            await asyncio.sleep(0.001)


@story
@pytest.mark.parametrize("end", ["kill", "stop"])
async def test_a_broker_that_dies_in_mid_traffic(mortal: OwnRabbitMQ | FaultyBroker, end: str) -> None:
    events, kept, lost = f"events-{end}", f"durable-{end}", f"passing-{end}"
    async with connected(mortal.url) as client:
        await client.declare(
            Exchange(events, "fanout"), Queue(kept), Binding(events, kept),
            Queue(lost, durable=False, exclusive=True), Binding(events, lost),
        )  # fmt: skip
        durable, passing = Inbox(), Inbox()
        consumptions = [
            await client.consume(kept, durable, pool=2),
            await client.consume(lost, passing),
        ]
        traffic = Traffic(client, events)
        running = [asyncio.ensure_future(traffic.run(str(number))) for number in range(5)]
        await until(lambda: min(len(traffic.confirmed), len(passing.deliveries)) > 100)
        await asyncio.to_thread(mortal.kill if end == "kill" else mortal.stop)
        await until(lambda: not client.is_connected)
        await asyncio.to_thread(mortal.start)
        confirmed, passed = len(traffic.confirmed), len(passing.deliveries)
        await until(lambda: len(traffic.confirmed) > confirmed + 200)
        await until(lambda: len(passing.deliveries) > passed + 100)
        traffic.is_over = True
        await asyncio.gather(*running)
        await until(lambda: set(durable.bodies) >= set(traffic.confirmed), "all that was confirmed")
        await until(lambda: all(consumption.is_live for consumption in consumptions))
        assert client.counters.disconnected >= 2


@story
async def test_a_broker_that_blocks_in_mid_traffic(node: OwnRabbitMQ) -> None:
    async with connected(node.url) as client:
        await client.declare(Exchange("events", "fanout"), Queue("q"), Binding("events", "q"))
        inbox = Inbox()
        await client.consume("q", inbox)
        traffic = Traffic(client, "events")
        running = asyncio.ensure_future(traffic.run("a"))
        await until(lambda: len(traffic.confirmed) > 100)
        await asyncio.to_thread(node.control, "set_vm_memory_high_watermark", "absolute", "1")
        await until(lambda: client.blocked_reason)
        # Consumers are not concerned: everything that has got in comes out and is settled.
        await until(lambda: set(inbox.bodies) >= set(traffic.confirmed))
        waited = await asyncio.wait_for(
            client.publish_many([Outgoing("events", "", b"late")], timeout=0.2), 60
        )
        assert [type(error) for error in waited] == [PublishTimeout]
        before = len(traffic.confirmed)
        await asyncio.to_thread(node.control, "set_vm_memory_high_watermark", "0.9")
        await until(lambda: len(traffic.confirmed) > before + 100)
        traffic.is_over = True
        await running
        assert client.blocked_reason is None
        assert client.counters.disconnected == 0
        await until(lambda: set(inbox.bodies) >= set(traffic.confirmed))
