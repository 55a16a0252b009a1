"""The verbs of a client, with real brokers; what needs a broker that misbehaves is in the other files."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.client import Binding, Exchange, Outgoing, Queue, QueueState, connect
from penstock.errors import BrokerRefused, NotConnected, PublishRefused, Unroutable
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.content import bodies_of
from penstock.wire.amqp.methods import BasicGet
from tests.client.support import HASTY, Inbox, connected, story, to, until
from tests.client.test_consumer import Scene

if TYPE_CHECKING:
    from penstock.client.run import Run
    from penstock.wire.amqp.table import Table
    from tests.servers.running import Running


@story
async def test_what_is_declared_is_published_to_and_consumed_from(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        things = (Exchange(name, "topic"), Queue(name), Binding(name, name, "a.#"))
        await client.declare(*things)
        properties = BasicProperties.of(message_id="m", headers={"n": 1}, delivery_mode=2)
        await client.publish(Outgoing(name, "a.b", b"one", properties))
        await client.publish(Outgoing(name, "a.c", b"two"))
        assert await client.queue_state(name) == QueueState(2, 0)
        inbox = Inbox()
        consumption = await client.consume(name, inbox)
        await until(lambda: inbox.bodies == [b"one", b"two"])
        first = inbox.deliveries[0]
        assert (first.exchange, first.routing_key, first.queue, first.redelivered) == (
            name,
            "a.b",
            name,
            False,
        )
        assert first.properties.as_dict() == {"message_id": "m", "headers": {"n": 1}, "delivery_mode": 2}
        await consumption.cancel()
        await client.withdraw(*things)
        assert await client.queue_state(name) is None
        assert client.server.product in {"RabbitMQ", "Penstock"}
        assert client.server.version >= (0, 1)


@story
async def test_each_message_of_a_batch_has_its_own_fate(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        limits: Table = {"x-max-length": 1, "x-overflow": "reject-publish"}
        await client.declare(Queue(name, arguments=limits), Queue(f"{name}.2"))
        messages = [
            to(f"{name}.2"),
            to(f"{name}.nobody"),
            to(name),
            to(name),
            to(f"{name}.2", b"x" * 300_000),
        ]
        fates = [type(fate) for fate in await client.publish_many(messages)]
        assert fates == [type(None), Unroutable, type(None), PublishRefused, type(None)]
        assert (await client.queue_state(f"{name}.2")) == QueueState(2, 0)
        await client.withdraw(Queue(name), Queue(f"{name}.2"))


@story
async def test_a_message_that_has_no_place_on_the_wire_is_refused_and_no_other(
    broker: Running, name: str
) -> None:
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        headers = BasicProperties.of(headers={"h": "x" * 200_000})
        bad = [to("k" * 300), Outgoing("", name, b"", headers)]
        good = [to(name, str(number).encode()) for number in range(5)]
        messages = [*good[:2], bad[0], *good[2:], bad[1]]
        fates = await client.publish_many(messages)
        assert [type(fate) for fate in fates] == [
            PublishRefused if message in bad else type(None) for message in messages
        ]
        got = [await client.get(name) for _ in good]
        assert [each and each.body for each in got] == [message.body for message in good]
        for each in got:
            assert each is not None
            each.ack()
        assert client.counters.disconnected == 0
        await client.withdraw(Queue(name))


@story
async def test_what_is_not_mandatory_may_vanish(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        await client.publish(Outgoing("", name, b"", mandatory=False))


@story
async def test_an_exchange_that_is_not_there_refuses_its_message_and_no_other(
    broker: Running, name: str
) -> None:
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        with pytest.raises(PublishRefused, match="no exchange"):
            await client.publish(Outgoing(f"{name}.nowhere", "", b""))
        await client.publish(to(name))
        await client.withdraw(Queue(name))


@story
async def test_a_channel_for_each_publish(broker: Running, name: str) -> None:
    async with connected(broker.url, replace(HASTY, publisher_channels=0)) as client:
        await client.declare(Queue(name))
        await asyncio.gather(*[client.publish(to(name)) for _ in range(50)])
        assert await client.queue_state(name) == QueueState(50, 0)
        connection = client._links.publishing.connection
        assert connection is not None
        await until(lambda: not connection.channels)
        await client.withdraw(Queue(name))


@story
async def test_messages_are_got_one_by_one_and_settled(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        await client.publish_many([to(name, b"1"), to(name, b"x" * 200_000)])
        first, second = await client.get(name), await client.get(name)
        assert first is not None
        assert second is not None
        assert (first.body, len(second.body)) == (b"1", 200_000)
        assert await client.get(name) is None
        first.ack()
        second.nack()
        await until(lambda: client.counters.acked and client.counters.rejected)
        again = await client.get(name)
        assert again is not None
        assert again.redelivered
        again.reject()
        assert await client.purge(name) == 0
        with pytest.raises(BrokerRefused):
            await client.get(f"{name}.nowhere")
        await client.withdraw(Queue(name))


@story
async def test_large_messages_of_many_frames_pass(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        inbox = Inbox()
        await client.consume(name, inbox)
        body = bytes(range(256)) * 20_000
        await client.publish_many([to(name, b"before"), to(name, body), to(name, b"after")], timeout=60)
        await until(lambda: inbox.bodies == [b"before", body, b"after"])
        await client.withdraw(Queue(name))


@story
async def test_messages_come_in_runs_of_frames_to_who_wants_them_so(broker: Running, name: str) -> None:
    bodies = [b"%d" % number for number in range(50)] + [b"x" * 300_000, b"last"]
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        assert not any(await client.publish_many([to(name, body) for body in bodies]))
        runs: list[Run] = []
        consumption = await client.consume_runs(name, runs.extend, prefetch=100)
        await until(lambda: sum(map(len, runs)) == len(bodies))
        assert [body for run in runs for body in bodies_of(run.frames)] == bodies
        assert consumption.in_hand == len(bodies)
        for run in runs:
            run.ack()
        await until(lambda: not consumption.in_hand)
        await consumption.cancel()
        await client.withdraw(Queue(name))


@story
async def test_subscribers_get_a_further_connection_when_one_is_full(broker: Running, name: str) -> None:
    async with connected(broker.url, replace(HASTY, channels_per_connection=2)) as client:
        await client.declare(Queue(name))
        inbox = Inbox()
        consumption = await client.consume(name, inbox, pool=5)
        assert len(client._links.all) == 4
        assert client.is_connected
        await client.publish(to(name))
        await until(lambda: inbox.deliveries)
        await consumption.cancel()
        await client.withdraw(Queue(name))


@story
async def test_closing_waits_until_everything_is_settled(broker: Running, name: str) -> None:
    client = await connect(broker.url)
    await client.declare(Queue(name))
    inbox = Inbox(acks=False)
    await client.consume(name, inbox)
    confirmed = client.publish(to(name))
    await until(lambda: inbox.deliveries)
    closing = asyncio.ensure_future(client.close(30))
    await asyncio.sleep(0.05)
    assert not closing.done()
    with pytest.raises(NotConnected):
        await client.publish(to(name))
    inbox.deliveries[0].ack()
    await closing
    await confirmed
    async with connected(broker.url) as other:
        assert await other.queue_state(name) == QueueState(0, 0)
        await other.withdraw(Queue(name))


@story
async def test_who_asks_is_told_of_changes_and_a_failing_callback_harms_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Scene() as scene:
        client = scene.client
        states: list[bool] = []

        def fail() -> None:
            raise ZeroDivisionError

        client.on_change += [fail, lambda: states.append(client.is_connected)]
        scene.session.wire.abort()
        await scene.advance(1)
        assert states == [False, True]
        assert "ZeroDivisionError" in caplog.text
        assert client.blocked_reason is None
        assert "Client of amqp://guest@one:5672" in repr(client)


@story
async def test_without_a_connection_nothing_is_known_of_the_server() -> None:
    async with Scene() as scene:
        assert scene.client.server.product == "Fake"
        scene.session.wire.abort()
        await scene.advance(0)
        assert scene.client.server.product == ""


@story
async def test_a_get_is_not_waited_for_for_ever() -> None:
    async with Scene(answer_timeout=0.01) as scene:
        scene.broker.answers[BasicGet] = lambda _: None
        with pytest.raises(NotConnected):
            await scene.client.get("q")


@story
async def test_consumptions_that_are_over_are_forgotten() -> None:
    async with Scene() as scene:
        for _ in range(3):
            await (await scene.client.consume("q", scene.inbox)).cancel()
        assert len(scene.client._consumptions) == 1


@story
async def test_what_is_forgotten_stays_and_is_not_made_again(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        client.forget(Queue(name))
        assert await client.queue_state(name) == QueueState(0, 0)
        assert Queue(name) not in client._desired
        await client.withdraw(Queue(name))
