"""The whole loop on real brokers: rejected, redelivered, waiting, redelivered, kept."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from penstock.messaging import headers as names
from penstock.messaging.message import Destination, Message
from penstock.messaging.redelivery import (
    RedeliveryHandler,
    RedeliveryNames,
    RedeliveryPolicy,
    redelivery_topology,
)
from tests.messaging.brokers import VirtualStage, on_stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.messaging.port import Received
    from tests.messaging.brokers import Stage

#: RabbitMQ's ladder has steps of a second; ours needs no time at all.
POLICY = RedeliveryPolicy(max_attempts=3, initial_interval=1, multiplier=2, max_interval=60)

#: More often than anything comes.
ALWAYS = 1_000


class Domain:
    """An exchange `orb-…` with one queue, whose consumer notes what comes and rejects it as often as told."""

    def __init__(self, stage: Stage, policy: RedeliveryPolicy) -> None:
        self.stage = stage
        self.names = RedeliveryNames(f"orb-{uuid4().hex[:8]}")
        self.queue = f"{self.names.domain}.anchor"
        self.handler = RedeliveryHandler(policy, names=self.names)
        self.rejects: dict[bytes, int] = {}
        self.came: list[tuple[bytes, float]] = []
        self.seen: list[Message] = []

    def receive(self, arrived: list[Received]) -> None:
        for received in arrived:
            self.came.append((received.body, self.stage.broker.clock.now()))
            self.seen.append(received.message)
            if self.rejects.get(received.body):
                self.rejects[received.body] -= 1
                received.reject()
            else:
                received.ack()

    async def publish(self, body: bytes, **properties: str) -> None:
        message = Message(body=body, headers={"mine": "kept"}, **properties)  # type: ignore[arg-type]
        await self.stage.broker.publish(message, Destination(self.names.domain, self.queue))

    async def kept(self) -> Message:
        received = await self.stage.broker.fetch(self.names.dead_letters)
        assert received is not None
        received.ack()
        return received.message

    @property
    def gaps(self) -> list[float]:
        times = [at for _, at in self.came]
        return [later - earlier for earlier, later in pairwise(times)]


@asynccontextmanager
async def domain(url: str | None, policy: RedeliveryPolicy = POLICY) -> AsyncIterator[Domain]:
    async with on_stage(url) as stage:
        opened = Domain(stage, policy)
        broker = stage.broker
        await broker.initialize(redelivery_topology([opened.queue], names=opened.names))
        await opened.handler.start(broker)
        stage.watch(opened.handler)
        subscribed = await broker.subscribe(opened.queue, opened.receive, prefetch=10)
        yield opened
        await subscribed.cancel()
        await opened.handler.stop()


def test_a_message_that_always_fails_comes_back_and_is_then_kept(mq_url: str | None) -> None:
    async def story() -> None:
        async with domain(mq_url) as orb:
            orb.rejects = {b"poison": ALWAYS}
            await orb.publish(b"poison", id="m1", type="Anchor")
            # At once, after 1 s, after 2 s; and not once more.
            await orb.stage.comes_true(lambda: len(orb.came) >= 2)
            await orb.stage.wait(1)
            await orb.stage.comes_true(lambda: len(orb.came) >= 3)
            await orb.stage.wait(2)
            await orb.stage.comes_true(lambda: orb.handler.counts["Abort"] == 1)
            assert orb.handler.counts == {"Redeliver": 3, "Wait": 2, "Abort": 1}
            _, first, second = orb.gaps
            assert first >= 0.99
            assert second >= 1.99
            if mq_url is None:
                assert orb.gaps == [0, 1, 2]
            # What is kept says all that is known, and nothing of what the brokers wrote.
            kept = await orb.kept()
            assert (kept.id, kept.type, kept.body) == ("m1", "Anchor", b"poison")
            assert kept.headers[names.QUEUE] == orb.queue
            assert kept.headers[names.REASON] == "redelivery aborted after 3 attempts"
            assert kept.headers[names.ATTEMPTS] == 4
            assert (kept.headers[names.EXCHANGE], kept.headers[names.KEY]) == (orb.names.domain, orb.queue)
            assert kept.headers["mine"] == "kept"
            assert not [name for name in kept.headers if "death" in name or name in {"x-delay", "CC"}]

    asyncio.run(story())


def test_a_message_that_is_handled_in_the_end_is_done_with(mq_url: str | None) -> None:
    async def story() -> None:
        async with domain(mq_url) as orb:
            orb.rejects = {b"twice": 2}
            await orb.publish(b"twice")
            await orb.stage.comes_true(lambda: orb.handler.counts["Wait"] == 1)
            await orb.stage.wait(1)
            await orb.stage.comes_true(lambda: len(orb.came) == 3)
            assert [message.headers.get("orb-redelivery-count") for message in orb.seen] == [None, "1", "2"]
            assert {message.id for message in orb.seen} == {orb.seen[0].id}
            for queue in (orb.queue, orb.names.redelivery, orb.names.wait, orb.names.dead_letters):
                assert await orb.stage.broker.depth(queue) == 0

    asyncio.run(story())


def test_a_long_wait_does_not_keep_a_short_one_behind_it(mq_url: str | None) -> None:
    async def story() -> None:
        async with domain(mq_url) as orb:
            # Given one message that waits for a minute, in front
            long = RedeliveryHandler(RedeliveryPolicy(initial_interval=60, max_interval=60), names=orb.names)
            await orb.handler.stop()
            await long.start(orb.stage.broker)
            orb.rejects = {b"long": ALWAYS, b"short": 2}
            await orb.publish(b"long")
            await orb.stage.comes_true(lambda: long.counts["Wait"] == 1)
            await long.stop()
            # When another waits for a second, behind it
            orb.handler = RedeliveryHandler(POLICY, names=orb.names)
            await orb.handler.start(orb.stage.broker)
            orb.stage.watch(orb.handler)
            await orb.publish(b"short")
            await orb.stage.comes_true(lambda: orb.handler.counts["Wait"] == 1)
            await orb.stage.wait(1)
            # Then that one comes, and the first still waits
            await orb.stage.comes_true(lambda: [body for body, _ in orb.came].count(b"short") == 3)
            assert [body for body, _ in orb.came].count(b"long") == 2

    asyncio.run(story())


def test_many_are_redelivered_without_waiting_for_one_another(mq_url: str | None) -> None:
    async def story() -> None:
        async with domain(mq_url) as orb:
            bodies = [b"%d" % number for number in range(500)]
            orb.rejects = dict.fromkeys(bodies, 2)
            to = Destination(orb.names.domain, orb.queue)
            await orb.stage.broker.publish_many([(Message(body=body), to) for body in bodies])
            await orb.stage.comes_true(lambda: orb.handler.counts["Wait"] == 500)
            await orb.stage.wait(1)
            await orb.stage.comes_true(lambda: len(orb.came) == 1500)
            assert sorted(body for body, _ in orb.came) == sorted(bodies * 3)

    asyncio.run(story())


def test_a_message_whose_queue_was_deleted_meanwhile_is_kept(mq_url: str | None) -> None:
    async def story() -> None:
        async with domain(mq_url) as orb:
            lost = Message(
                body=b"x", id="m1", headers={"orb-queue": "there is none", "orb-redelivery-count": "0"}
            )
            await orb.stage.broker.publish(lost, Destination.queue(orb.names.redelivery))
            await orb.stage.comes_true(lambda: orb.handler.counts["Abort"] == 1)
            kept = await orb.kept()
            assert kept.headers[names.REASON] == "queue there is none is gone"

    asyncio.run(story())


@pytest.mark.parametrize("point", ["received", "commit", "committed", "told"])
@pytest.mark.parametrize("nth", [1, 2, 3, 5, 8])
def test_a_crash_of_the_broker_at_any_point_loses_nothing(point: str, nth: int) -> None:
    async def story() -> None:
        async with domain(None) as orb:
            orb.rejects = {b"poison": ALWAYS}
            assert isinstance(orb.stage, VirtualStage)
            controlled = orb.stage.controlled
            await orb.publish(b"poison", id="m1")
            with controlled.crash_at(point, nth=nth):
                await controlled.advance(30)
            await controlled.advance(60)
            # It may come more often than without, and in the end it is kept, at least once.
            kept = await orb.kept()
            assert (kept.id, kept.body, kept.headers[names.ATTEMPTS]) == ("m1", b"poison", 4)
            for queue in (orb.queue, orb.names.redelivery, orb.names.wait):
                assert await orb.stage.broker.depth(queue) == 0

    asyncio.run(story())
