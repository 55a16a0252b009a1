"""The ladder of delays, climbed: with the real RabbitMQ, through the port."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.delays import UNDELIVERED
from penstock.messaging.message import Destination, Message
from penstock.messaging.port import Topology
from tests.messaging.brokers import on_stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.messaging.port import Received
    from tests.messaging.brokers import Stage


class Gate:
    """A queue `….b`, bound to an exchange, and another one whose name ends like it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.name = f"delays-{uuid4().hex[:8]}"
        self.queue = f"{self.name}.b"
        self.came: list[tuple[bytes, float]] = []
        self.messages: list[Received] = []
        self._start = stage.broker.clock.now()

    def receive(self, arrived: list[Received]) -> None:
        for received in arrived:
            self.came.append((received.body, self.stage.broker.clock.now() - self._start))
            self.messages.append(received)
            received.ack()

    async def send(self, body: bytes, delay: float, to: Destination | None = None, **more: float) -> None:
        message = Message(body=body, delay=delay, **more)  # type: ignore[arg-type]
        await self.stage.broker.publish(message, to or Destination.queue(self.queue))

    @property
    def bodies(self) -> list[bytes]:
        return [body for body, _ in self.came]


@asynccontextmanager
async def gate(url: str) -> AsyncIterator[Gate]:
    async with on_stage(url) as stage:
        opened = Gate(stage)
        topology = Topology(
            exchanges=(Exchange(opened.name, "topic"),),
            queues=(Queue(opened.queue), Queue(f"x.{opened.queue}")),
            bindings=(Binding(opened.name, opened.queue, "made.#"),),
        )
        await stage.broker.initialize(topology)
        await stage.broker.subscribe(opened.queue, opened.receive, prefetch=100)
        yield opened


def test_messages_arrive_when_they_are_due_and_not_in_the_order_they_were_sent(rabbitmq_url: str) -> None:
    async def story() -> None:
        async with gate(rabbitmq_url) as gate_:
            await gate_.send(b"5", 5)
            await gate_.send(b"3", 3)
            await gate_.send(b"0.2", 0.2)
            await gate_.send(b"now", 0)
            await gate_.stage.comes_true(lambda: len(gate_.came) == 4)
            assert gate_.bodies == [b"now", b"0.2", b"3", b"5"]
            due = dict(gate_.came)
            assert [due[b"0.2"] >= 1, due[b"3"] >= 3, due[b"5"] >= 5] == [True] * 3
            # A name that ends like it is another name.
            assert await gate_.stage.broker.depth(f"x.{gate_.queue}") == 0

    asyncio.run(story())


def test_a_delayed_message_to_an_exchange_is_routed_by_its_own_key(rabbitmq_url: str) -> None:
    async def story() -> None:
        async with gate(rabbitmq_url) as gate_:
            await gate_.send(b"bound", 1, Destination(gate_.name, "made.today"))
            await gate_.send(b"not bound", 1, Destination(gate_.name, "broken.today"))
            await gate_.send(b"last", 3)
            await gate_.stage.comes_true(lambda: b"last" in gate_.bodies)
            assert gate_.bodies == [b"bound", b"last"]
            assert gate_.messages[0].destination == Destination(gate_.name, "made.today")

    asyncio.run(story())


def test_a_time_to_live_does_not_shorten_the_delay(rabbitmq_url: str) -> None:
    async def story() -> None:
        async with gate(rabbitmq_url) as gate_:
            await gate_.send(b"x", 2, expires_in=0.5)
            await gate_.stage.comes_true(lambda: len(gate_.came) == 1)
            assert gate_.came[0][1] >= 2

    asyncio.run(story())


def test_what_finds_its_queue_deleted_is_put_aside(rabbitmq_url: str) -> None:
    async def story() -> None:
        async with gate(rabbitmq_url) as gate_:
            client = gate_.stage.broker.client  # type: ignore[attr-defined]
            gone = Queue(f"{gate_.name}.gone")
            await client.declare(gone)
            body = uuid4().bytes
            await gate_.send(body, 2, Destination.queue(gone.name))
            await client.withdraw(gone)
            await gate_.send(b"later", 4)
            await gate_.stage.comes_true(lambda: len(gate_.came) == 1)
            aside = await gate_.stage.broker.fetch(UNDELIVERED)
            while aside is not None and aside.body != body:
                aside = await gate_.stage.broker.fetch(UNDELIVERED)
            assert aside is not None

    asyncio.run(story())


@pytest.mark.parametrize("delay", [2**27 + 1, 31])
def test_every_level_can_be_declared(rabbitmq_url: str, delay: float) -> None:
    async def story() -> None:
        async with gate(rabbitmq_url) as gate_:
            await gate_.send(b"years", delay)
            level = f"penstock.delay-{int(delay).bit_length() - 1:02}"
            assert await gate_.stage.broker.depth(level)

    asyncio.run(story())
