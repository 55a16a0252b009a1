from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import ClientSettings, Outgoing, Queue
from penstock.client.counters import Counters
from penstock.client.link import Link
from penstock.client.requests import REPLY_TO, Requests
from penstock.client.road import Road
from penstock.clock import VirtualClock
from penstock.errors import NoReply, NotConnected, Unroutable
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.methods import BasicConsume, BasicDeliver, BasicReturn
from tests.client.fake import FakeBroker, turns
from tests.client.support import connected, story

if TYPE_CHECKING:
    from penstock.client import Delivery
    from tests.servers.running import Running


class Scene:
    def __init__(self) -> None:
        self.broker = FakeBroker()
        self.clock = VirtualClock()
        settings = ClientSettings()
        self.link = Link(
            "test",
            Road(["amqp://one"], self.broker.dial, settings, Counters()),
            settings,
            Counters(),
            self.clock,
        )
        self.requests = Requests(self.link, self.clock)

    async def ask(self, correlation: str | None = None) -> asyncio.Task[Delivery]:
        properties = BasicProperties.of(correlation_id=correlation)
        asking = asyncio.ensure_future(self.requests.ask("", "q", b"why", properties, 5))
        await turns(20)
        return asking

    def reply(self, correlation: str, body: bytes = b"because") -> None:
        deliver: Any = BasicDeliver("tag", 1, redelivered=False, exchange="", routing_key="")
        self.broker.session.say_content(1, deliver, body, BasicProperties.of(correlation_id=correlation))


@story
@pytest.mark.parametrize("body", [b"because", b"x" * 100_000])
async def test_a_reply_finds_its_request(body: bytes) -> None:
    scene = Scene()
    first, second = await scene.ask("1"), await scene.ask()
    session = scene.broker.session
    assert session.methods(BasicConsume) == [BasicConsume(REPLY_TO, no_ack=True)]
    asked = [item[3] for _, item in session.published]
    assert [properties.reply_to for properties in asked] == [REPLY_TO] * 2
    session.confirm(1, 2, multiple=True)
    for properties in reversed(asked):
        scene.reply("nobody's")
        scene.reply(properties.correlation_id, body)
    assert (await second).body == body
    reply = await first
    assert reply.body == body
    assert reply.is_settled
    assert "Requests on" in repr(scene.requests)
    await scene.link.close(1)


@story
async def test_no_reply_in_time_is_an_error() -> None:
    scene = Scene()
    asking = await scene.ask()
    scene.broker.session.confirm(1, 1)
    await turns()
    scene.clock.advance(5)
    with pytest.raises(NoReply, match="within 5 s"):
        await asking
    scene.clock.advance(5)
    await scene.link.close(1)


@story
async def test_a_request_that_nobody_takes_is_an_error_at_once() -> None:
    scene = Scene()
    asking = await scene.ask("1")
    session = scene.broker.session
    properties = session.published[0][1][3]
    session.say_content(1, BasicReturn(312, "NO_ROUTE", "", "q"), b"why", properties)
    session.say_content(1, BasicReturn(312, "NO_ROUTE", "", "q"), b"x" * 100_000)
    session.confirm(1, 1)
    with pytest.raises(Unroutable):
        await asking
    await scene.link.close(1)


@story
async def test_the_connection_takes_the_replies_along_and_the_next_request_has_another() -> None:
    scene = Scene()
    asking = await scene.ask()
    scene.broker.session.confirm(1, 1)
    await turns()
    scene.broker.session.wire.abort()
    with pytest.raises(NotConnected):
        await asking
    await turns()
    scene.clock.advance(60)
    again = await scene.ask("2")
    scene.broker.session.confirm(1, 1)
    scene.reply("2")
    assert (await again).body == b"because"
    await scene.link.close(1)


@story
async def test_requests_are_answered_by_real_brokers(broker: Running, name: str) -> None:
    async with connected(broker.url) as client:
        queue = Queue(name, durable=False, auto_delete=True)
        await client.declare(queue)

        def serve(deliveries: list[Delivery]) -> None:
            for asked in deliveries:
                properties = BasicProperties.of(correlation_id=asked.properties.correlation_id)
                reply = Outgoing(
                    "", asked.properties.reply_to or "", asked.body * 2, properties, mandatory=False
                )
                client.publish(reply)
                asked.ack()

        await client.consume(queue, serve)
        replies = await asyncio.gather(*[client.request("", name, b"%d" % n, timeout=30) for n in range(20)])
        assert [reply.body for reply in replies] == [b"%d" % n * 2 for n in range(20)]
        with pytest.raises(Unroutable):
            await client.request("", f"{name}.nobody", b"")
