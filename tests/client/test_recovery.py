"""What a client does about losses: with real brokers, and a network of our own between."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.client import Binding, Exchange, Outgoing, Queue
from penstock.errors import PublishError, PublishLost, PublishTimeout
from tests.client.support import HASTY, Inbox, Proxy, connected, story, to, until

if TYPE_CHECKING:
    from penstock.client import Client
    from tests.servers.running import Running


async def publish_surely(client: Client, message: Outgoing) -> None:
    """As an application that must not lose a message does."""
    while True:
        try:
            await client.publish(message, timeout=5)
        except PublishError:
            continue
        return


@story
async def test_a_cut_network_is_recovered_from(broker: Running, name: str) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        await client.declare(
            Exchange(f"{name}.e", "topic", durable=False, auto_delete=True),
            Queue(name, durable=False, exclusive=True),
            Binding(f"{name}.e", name, "a.#"),
        )
        inbox = Inbox()
        consumption = await client.consume(name, inbox, prefetch=10, pool=3)
        await client.publish(Outgoing(f"{name}.e", "a.b", b"before"))
        await until(lambda: inbox.bodies == [b"before"])
        # An exclusive queue goes with its connection, and so does the exchange bound to it.
        network.cut()
        await until(lambda: not client.is_connected)
        await publish_surely(client, Outgoing(f"{name}.e", "a.c", b"after"))
        await until(lambda: b"after" in inbox.bodies)
        await until(lambda: consumption.is_live)
        assert client.counters.disconnected == 2


@story
async def test_nothing_confirmed_is_lost_and_everything_is_decided_while_the_network_flaps(
    broker: Running, name: str
) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        await client.declare(Queue(name))
        inbox = Inbox()
        await client.consume(name, inbox, prefetch=50)

        async def cut_again_and_again() -> None:
            for _ in range(6):
                await asyncio.sleep(0.15)
                network.cut()

        cutting = asyncio.get_running_loop().create_task(cut_again_and_again())
        sent = [b"%d" % number for number in range(300)]
        for body in sent:
            await publish_surely(client, to(name, body))
        await cutting
        await until(lambda: set(inbox.bodies) >= set(sent))
        await client.withdraw(Queue(name))


@story
async def test_what_was_not_confirmed_is_reported_as_lost(broker: Running, name: str) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        await client.declare(Queue(name, durable=False, auto_delete=True))
        await client.publish(to(name))
        network.open.clear()
        futures = [client.publish(to(name)) for _ in range(3)]
        await asyncio.sleep(0.05)
        network.cut()
        network.open.set()
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert [type(result) for result in results] == [PublishLost] * 3
        assert client.counters.lost == 3


@story
async def test_a_publish_does_not_outwait_its_deadline_on_a_silent_network(
    broker: Running, name: str
) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        await client.declare(Queue(name, durable=False, auto_delete=True))
        await client.publish(to(name))
        network.open.clear()
        with pytest.raises(PublishTimeout, match="may or may not"):
            await client.publish(to(name), timeout=0.1)
        network.open.set()
        await client.publish(to(name))  # the late confirm of the other did no harm


@story
async def test_a_silent_network_is_noticed_by_its_missing_heartbeats(broker: Running, name: str) -> None:
    settings = replace(HASTY, heartbeat=1)
    async with Proxy(broker.port) as network, connected(network.url, settings) as client:
        network.open.clear()
        await until(lambda: not client.is_connected, "the loss")
        network.cut()
        network.open.set()
        await until(lambda: client.is_connected, "the recovery")


@story
async def test_acks_of_a_lost_channel_are_counted_and_the_message_comes_again(
    broker: Running, name: str
) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        await client.declare(Queue(name, durable=False))
        inbox = Inbox(acks=False)
        await client.consume(name, inbox)
        await client.publish(to(name))
        await until(lambda: inbox.deliveries)
        network.cut()
        await until(lambda: len(inbox.deliveries) == 2)
        first, second = inbox.deliveries
        assert second.redelivered
        first.ack()
        assert client.counters.stale_acks == 1
        second.ack()
        await client.withdraw(Queue(name))


@story
async def test_a_consumer_cancelled_by_the_broker_comes_back_to_a_queue_made_again(
    broker: Running, name: str
) -> None:
    async with connected(broker.url) as client, connected(broker.url) as vandal:
        await client.declare(Exchange(name, "fanout"), Queue(name), Binding(name, name))
        inbox = Inbox()
        consumption = await client.consume(name, inbox)
        await vandal.withdraw(Queue(name))
        await until(lambda: client.counters.consumers_cancelled)
        await until(lambda: consumption.is_live)
        await client.publish(Outgoing(name, "", b"again"))
        await until(lambda: inbox.bodies == [b"again"])
        await client.withdraw(Queue(name), Exchange(name, "fanout"))


@story
async def test_a_channel_closed_by_the_broker_is_opened_again(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        await client.declare(Queue(name))
        inbox = Inbox()
        consumption = await client.consume(name, inbox)
        # A tag that was never delivered: the broker closes the channel with 406.
        channel = consumption._consumers[0]._channel
        assert channel is not None
        channel.settling.ack(4711)
        await until(lambda: client.counters.channels_closed)
        await client.publish(to(name))
        await until(lambda: inbox.bodies == [b"hello"])
        await client.withdraw(Queue(name))


@story
async def test_a_server_named_queue_gets_a_new_name_and_keeps_its_bindings(
    broker: Running, name: str
) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        queue = Queue(durable=False, exclusive=True)
        await client.declare(Exchange(name, "fanout"), queue, Binding(name, queue))
        inbox = Inbox()
        await client.consume(queue, inbox)
        before = client.queue_name(queue)
        network.cut()
        await until(lambda: client.queue_name(queue) != before)
        await publish_surely(client, Outgoing(name, "", b"again"))
        await until(lambda: inbox.bodies == [b"again"])
        assert inbox.deliveries[0].queue == client.queue_name(queue)
        await client.withdraw(Exchange(name, "fanout"))


@story
async def test_publishes_wait_for_a_connection_until_their_deadline(broker: Running, name: str) -> None:
    async with Proxy(broker.port) as network, connected(network.url) as client:
        await client.declare(Queue(name))
        network.refuses = True
        network.cut()
        await until(lambda: not client.is_connected)
        with pytest.raises(PublishTimeout, match="not connected"):
            await client.publish(to(name), timeout=0.05)
        waiting = client.publish(to(name, b"patient"))
        network.refuses = False
        await waiting
        assert (await client.queue_state(name)).messages == 1  # type: ignore[union-attr]
        await client.withdraw(Queue(name))


@story
async def test_a_blocked_broker_makes_publishes_time_out_and_consumers_go_on(
    broker_under_alarm: Running, name: str
) -> None:
    async with connected(broker_under_alarm.url) as client:
        await client.declare(Queue(name))
        with pytest.raises(PublishTimeout):
            await client.publish(to(name), timeout=0.3)
        await until(lambda: client.blocked_reason)
        with pytest.raises(PublishTimeout, match="takes no publishes"):
            await client.publish(to(name), timeout=0.1)
        assert await client.get(name) is None  # the other connection is not blocked
        await client.withdraw(Queue(name))
